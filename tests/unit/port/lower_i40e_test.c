/* SPDX-License-Identifier: BSD-3-Clause */
// A 700-series NIC below a port. Its package changes all of the NIC, with the ports of others: it
// goes in while the port is stopped, comes out when it stops, and whatever fails leaves the NIC as
// it was. Packets are hashed as by software all the time.
//
// The NIC is a fake behind its driver's private calls, as far as packages are concerned. What it
// does is taken from DPDK's source, and was not compared with silicon.
#include <rte_bus_vdev.h>
#include <rte_log.h>

#include "answers.h"
#include "fake_nic.h"
#include "i40e/i40e.h"
#include "offload/i40e_port.h"
#include "package/i40e_write.h"
#include "package/small_package.h"
#include "personality/personality.h"
#include "port/lower/lower.h"
#include "port/state/control.h"

#define GTP_FILE "gtp.pkgo"
#define DEV "dev(net_i40e0,nic=4),overflow=wait"
#define GTP_PROFILE DEV ",profile=gtpu"

static struct {
	uint8_t registers[256];
	uint32_t loaded; // track id; 0: none
	struct ddp_i40e_inset insets[DDP_I40E_FLOW_TYPES];
	// of the driver
	struct ddp_i40e_flow_type flow_types[DDP_I40E_FLOW_TYPES];
	bool maps_ptypes; // of the package
} nic, before;

static uint16_t nic_port;
static bool has_package; // the argument that names GTP_FILE
static bool reads_back;  // the firmware leaves the old values of all sections
static int fail_section; // so many sections are written, then one fails; negative: none fails
static int fail_call;    // so many calls are made, then one fails; negative: none fails
static unsigned int n_calls;
static char changes[64]; // of packages, in order: + or -

static int call(uint16_t port) {
	assert_int_equal(port, nic_port);
	n_calls++;
	return fail_call-- == 0 ? -EIO : 0;
}

// Sections are added in their order, and taken back in the reverse order. The firmware leaves the
// old values in the buffer.
static int sections_write(uint8_t *bytes, const struct i40e_package *i40e, bool add) {
	for (unsigned int i = 0; i < i40e->n_sections; i++) {
		const struct i40e_section *section =
			&i40e->sections[add ? i : i40e->n_sections - 1 - i];
		uint8_t *values = bytes + section->offset + SECTION_HEADER_SIZE + 4;
		uint8_t old[256];

		if (section->type != (add ? I40E_MMIO : I40E_RB_MMIO))
			continue;
		if (fail_section-- == 0)
			return -EIO;
		memcpy(old, &nic.registers[section->data[0]], section->size - 4);
		memcpy(&nic.registers[section->data[0]], values, section->size - 4);
		memcpy(values, old, section->size - 4);
		put32(bytes + section->offset + SECTION_TYPE_AT, I40E_RB_MMIO);
	}
	return 0;
}

static int package_process(uint8_t *bytes, const struct ddp_package *package, bool add) {
	int ret;

	strcat(changes, add ? "+" : "-");
	if (nic.loaded != (add ? 0 : package->track_id)) {
		nic.maps_ptypes |= add; // by the driver, though it refuses
		return add ? -EEXIST : -EACCES;
	}
	if (package->i40e->is_rollback == add)
		return -EINVAL;
	ret = sections_write(bytes, package->i40e, add);
	if (ret == 0) {
		nic.loaded = add ? package->track_id : 0;
		nic.maps_ptypes = add;
	}
	return ret;
}

static int process(uint16_t port, uint8_t *bytes, uint32_t size, int op) {
	struct ddp_package *package;
	int ret = call(port);

	if (ret < 0)
		return ret;
	if (rte_eth_devices[port].data->dev_started)
		return -EBUSY;
	package = ddp_package_read("given", bytes, size, diag_new());
	assert_non_null(package);
	ret = package_process(bytes, package, op == DDP_I40E_ADD);
	ddp_package_close(package);
	if (!reads_back && op == DDP_I40E_ADD)
		put32(bytes + I40E_GTP_SECTION + SECTION_TYPE_AT, I40E_MMIO);
	return ret;
}

static int flow_types_get(uint16_t port, struct ddp_i40e_flow_type *types) {
	memcpy(types, nic.flow_types, sizeof(nic.flow_types));
	return call(port);
}

static int flow_types_update(uint16_t port, struct ddp_i40e_flow_type *types, uint16_t n,
			     uint8_t exclusive) {
	int ret = call(port);

	if (ret < 0)
		return ret;
	assert_int_equal(exclusive, 0);
	for (unsigned int i = 0; i < n; i++) // flow type 0 and pctype 0 are "unknown" and "invalid"
		if (types[i].flow_type == 0 || types[i].flow_type >= DDP_I40E_FLOW_TYPES ||
		    (types[i].pctype & 1) != 0)
			return -EINVAL;
	for (unsigned int i = 0; i < n; i++)
		nic.flow_types[types[i].flow_type].pctype = types[i].pctype;
	return 0;
}

static int inset_get(uint16_t port, uint8_t pctype, struct ddp_i40e_inset *inset, int type) {
	assert_int_equal(type, DDP_I40E_INSET_HASH);
	*inset = nic.insets[pctype];
	return call(port);
}

static int inset_set(uint16_t port, uint8_t pctype, struct ddp_i40e_inset *inset, int type) {
	int ret = call(port);

	assert_int_equal(type, DDP_I40E_INSET_HASH);
	if (ret == 0)
		nic.insets[pctype] = *inset;
	return ret;
}

static const struct ddp_i40e_calls *calls_find(struct ddp_diag *diag) {
	static const struct ddp_i40e_calls calls = {process, flow_types_get, flow_types_update,
						    inset_get, inset_set};

	return &calls;
}

static const struct ddp_i40e_calls *calls_miss(struct ddp_diag *diag) {
	ddp_error(diag, NULL, "the driver is not here");
	return NULL;
}

static bool has_gtpu(void) {
	return nic.registers[I40E_GTP_REGISTER] == 0x55;
}

static uint64_t flow_types(void) {
	uint64_t types = 0;

	for (unsigned int i = 24; i < DDP_I40E_FLOW_TYPES; i++)
		if (nic.flow_types[i].pctype != 0)
			types |= UINT64_C(1) << i;
	return types;
}

#define WORD(vector, word, bytes, n) memcpy(&(vector)[2 * (word)], bytes, n)

// As in Intel's guide. The words that it does not document have meaningless values here.
static void vector_fill(const uint8_t *bytes, const struct parsed *p,
			uint8_t vector[2 * DDP_OFFLOAD_FIELDS]) {
	const uint8_t *ip = &bytes[p->inner.off];
	const bool v4 = p->inner.version == 4;

	memset(vector, 0x77, 2 * DDP_OFFLOAD_FIELDS);
	WORD(vector, v4 ? 15 : 13, ip + (v4 ? 12 : 8), v4 ? 4 : 16);
	WORD(vector, v4 ? 27 : 21, ip + (v4 ? 16 : 24), v4 ? 4 : 16);
	if (p->inner.l4 == RTE_PTYPE_L4_UDP || p->inner.l4 == RTE_PTYPE_L4_TCP ||
	    p->inner.l4 == RTE_PTYPE_L4_SCTP)
		WORD(vector, 29, &bytes[p->inner.l4_off], 4);
	WORD(vector, 44, &bytes[p->gtpu_off + 4], 4);
}

static bool is_enabled(uint8_t pctype, uint64_t rss_hf) {
	for (unsigned int i = 0; i < DDP_I40E_FLOW_TYPES; i++)
		if ((nic.flow_types[i].pctype >> pctype & rss_hf >> i & 1) != 0)
			return true;
	return false;
}

static unsigned int gtpu_see(const uint8_t *bytes, struct parsed *p, uint64_t rss_hf,
			     uint8_t *input) {
	uint8_t pctype = p->inner.version == 4 ? 22 : 23, vector[2 * DDP_OFFLOAD_FIELDS];
	unsigned int n = 0;

	// The driver maps the ptypes of the package, by the names of their protocols.
	p->ptype = nic.maps_ptypes ? p->ptype & ~RTE_PTYPE_L2_MASK : RTE_PTYPE_UNKNOWN;
	vector_fill(bytes, p, vector);
	for (unsigned int i = 0; i < DDP_OFFLOAD_FIELDS && is_enabled(pctype, rss_hf); i++) {
		if ((nic.insets[pctype].inset >> (63 - i) & 1) == 0)
			continue;
		memcpy(&input[n], &vector[2 * i], 2);
		n += 2;
	}
	return n;
}

static const struct fake_extension extension = {
	.has_gtpu = has_gtpu,
	.flow_types = flow_types,
	.gtpu = gtpu_see,
};

static void gtp_put(uint32_t track_id) {
	struct ddp_package *package = i40e_write_gtp(track_id);

	scratch_write(GTP_FILE, package->bytes, package->size);
	ddp_package_close(package);
}

static void nic_reset(void) {
	memset(&nic, 0, sizeof(nic));
	for (unsigned int i = 0; i < RTE_DIM(nic.registers); i++)
		nic.registers[i] = i;
	for (unsigned int i = 0; i < DDP_I40E_FLOW_TYPES; i++)
		nic.flow_types[i].flow_type = i;
	nic.flow_types[2].pctype = UINT64_C(1) << 31; // as DPDK has it
	memset(nic.insets[22].mask, 1, sizeof(nic.insets[22].mask));
	nic.insets[22].inset = 7;
	memcpy(&before, &nic, sizeof(nic));
	has_package = reads_back = true;
	fail_section = fail_call = -1;
	n_calls = 0;
	changes[0] = '\0';
	ddp_i40e_lower_calls = calls_find;
}

static int setup(void **state) {
	nic_reset();
	gtp_put(I40E_GTP);
	return leak_setup(state);
}

static void assert_as_before(void) {
	assert_memory_equal(&nic, &before, sizeof(nic));
}

static char start_log[8192];

static int port_start(uint16_t port) {
	return logged(start_log, rte_eth_dev_start(port));
}

static unsigned int n_lines(const char *text) {
	unsigned int n = 0;

	for (const char *at = start_log; (at = strstr(at, text)) != NULL; at++)
		n++;
	return n;
}

static uint16_t port_make(const char *devargs) {
	char with_package[600];
	int port;

	snprintf(with_package, sizeof(with_package), "%s,package=%s", devargs,
		 scratch_path(GTP_FILE));
	port = ddp_probe(has_package ? with_package : devargs);
	if (port < 0)
		fail_msg("%s", ddp_probe_log());
	rte_eth_dev_get_port_by_name("net_i40e0", &nic_port);
	testsrc_nic(0)->extension = &extension;
	ddp_configure(port, N_QUEUES, 1, 1024, RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
	return port;
}

static uint16_t port_run(const char *devargs) {
	uint16_t port = port_make(devargs);

	assert_int_equal(port_start(port), 0);
	return port;
}

TEST(a_package_is_there_while_the_port_runs) {
	uint16_t port = port_run(GTP_PROFILE);

	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(n_lines("gtp.pkgo until it stops"), 1);
		assert_true(has_gtpu());
		assert_int_equal(nic.loaded, I40E_GTP);
		assert_int_equal(nic.insets[22].inset,
				 UINT64_C(3) << 47 | UINT64_C(3) << 35 | UINT64_C(3) << 33);
		assert_true(is_enabled(22, testsrc_nic(0)->rss_hf));
		assert_true(is_enabled(25, testsrc_nic(0)->rss_hf)); // all of them
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_as_before();
		assert_int_equal(port_start(port), 0);
	}
	assert_string_equal(changes, "+-+-+");
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "gtpu", NULL, 0), 0); // that needs it
	n_calls = 0;
	assert_int_equal(port_start(port), 0);
	assert_int_equal(n_calls, 0);
	assert_as_before();
	ddp_end(port);
	assert_as_before();
}

static uint16_t software_run(const char *spec) {
	char devargs[100];
	uint16_t port;

	snprintf(devargs, sizeof(devargs), DEV ",profile=%s,offload=off", spec);
	port = port_run(devargs);
	answers_take(port, false, software);
	ddp_end(port);
	snprintf(devargs, sizeof(devargs), DEV ",profile=%s", spec);
	return port_run(devargs);
}

TEST(packets_are_hashed_as_by_software) {
	static const char *const specs[] = {"gtpu",       "gtpu:inner-ip", "gtpu:teid",
					    "gtpu:outer", "gtpu:ue",       "5g-upf"};

	for (unsigned int s = 0; s < RTE_DIM(specs); s += draw_step(2)) {
		uint16_t port = software_run(specs[s]);
		double share = answers_take(port, false, hardware);

		answers_compare(specs[s]);
		assert_true(share > 0.3 || s >= 3); // plain TCP and UDP alone are 0.17
		ddp_end(port);
		assert_as_before();
	}
}

// Each of the calls to the driver fails, one after the other.
TEST(what_fails_leaves_the_nic_as_it_was) {
	uint16_t port = port_run(GTP_PROFILE);
	unsigned int n_good = n_calls;

	ddp_end(port);
	assert_true(n_good > 6);
	for (unsigned int i = 0; i < 2 * n_good; i += draw_step(8)) {
		const bool required = i >= n_good;

		port = port_make(required ? GTP_PROFILE ",offload=require" : GTP_PROFILE);
		fail_call = i % n_good;
		assert_int_equal(port_start(port) < 0, required);
		assert_int_equal(n_lines(required ? "offload=require, but lower device net_i40e0 "
						    "cannot have its package" :
						    "continues without its package"),
				 1);
		fail_call = -1;
		assert_as_before();
		if (required) {
			assert_int_equal(port_start(port), 0);
			assert_true(has_gtpu());
		}
		assert_true(answers_take(port, false, hardware) > 0); // by its own packet types
		ddp_end(port);
		assert_as_before();
	}
}

// A file with wrong registers must not remove the package.
TEST(a_nic_that_misbehaves_needs_a_reset) {
	uint16_t port = port_make(GTP_PROFILE);

	for (int n = 0; n < 3; n++) {
		nic_reset();
		fail_section = n;
		assert_int_equal(port_start(port), 0);
		assert_int_equal(n_lines("gtp.pkgo: Input/output error"), 1);
		assert_int_equal(n_lines("has written stays until the NIC is reset"), n > 0);
		assert_string_equal(changes, "+");
		assert_int_equal(rte_eth_dev_stop(port), 0);
	}
	nic_reset();
	reads_back = false;
	assert_int_equal(port_start(port), 0);
	assert_int_equal(n_lines("gtp.pkgo: its registers were not read back"), 1);
	assert_int_equal(n_lines("has written stays until the NIC is reset"), 1);
	assert_string_equal(changes, "+");
}

static unsigned int left_behind(void) {
	unsigned int n = nic.loaded != before.loaded;

	n += memcmp(nic.flow_types, before.flow_types, sizeof(before.flow_types)) != 0;
	for (unsigned int i = 0; i < RTE_DIM(before.insets); i++)
		n += memcmp(&nic.insets[i], &before.insets[i], sizeof(before.insets[i])) != 0;
	return n;
}

TEST(a_stop_goes_on_behind_what_fails_and_says_so) {
	unsigned int n_stop = 1;

	for (unsigned int i = 0; i < n_stop; i += draw_step(3)) {
		uint16_t port = port_run(GTP_PROFILE);

		fail_call = i;
		n_calls = 0;
		assert_int_equal(logged(start_log, rte_eth_dev_stop(port)), 0);
		n_stop = n_calls;
		assert_in_range(n_stop, 4, 60);
		assert_in_range(left_behind(), 0, 1);
		assert_true(n_lines("cannot be taken back") >= left_behind());
		memcpy(&nic, &before, sizeof(nic));
		fail_call = -1;
		ddp_end(port);
	}
}

TEST(rss_that_cannot_be_changed_is_the_last_step) {
	uint16_t port = port_make(GTP_PROFILE);

	testsrc_nic(0)->no_rss = true;
	assert_int_equal(port_start(port), 0);
	assert_int_equal(n_lines("continues without its package: RSS key and types"), 1);
	assert_as_before();
	assert_true(answers_take(port, false, hardware) == 0);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	testsrc_nic(0)->fail_start = 2; // after the NIC was stopped to take the package back
	assert_int_equal(port_start(port), -EIO);
	assert_as_before();
	testsrc_nic(0)->no_rss = false;
	assert_int_equal(port_start(port), 0);
	assert_true(has_gtpu());
	ddp_end(port);
	assert_as_before();
}

TEST(a_profile_that_wants_one_waits_for_the_next_start) {
	uint16_t port = port_run(DEV);

	assert_int_equal(n_calls, 0);
	assert_int_equal(logged(start_log, rte_pmd_ddp_profile_add(port, "gtpu", NULL, 0)), 0);
	assert_int_equal(n_lines("takes no package while it runs: "), 1);
	assert_int_equal(n_lines("gtp.pkgo will be loaded at the next start"), 1);
	answers_take(port, false, hardware);
	assert_int_equal(n_calls, 0);
	assert_as_before();
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(port_start(port), 0);
	assert_true(has_gtpu());
	answers_take(port, false, hardware);
	ddp_end(port);
	assert_as_before();
}

// Other input sets use the package that the NIC has; it stays until the port stops.
TEST(a_profile_change_sets_the_input_sets_anew) {
	uint16_t port = software_run("gtpu:inner-ip");

	ddp_end(port);
	port = port_run(GTP_PROFILE);
	answers_take(port, false, hardware);
	assert_int_equal(rte_pmd_ddp_profile_del(port, "gtpu", NULL, 0), 0);
	assert_true(has_gtpu());
	answers_take(port, false, hardware);
	assert_int_equal(logged(start_log, rte_pmd_ddp_profile_add(port, "gtpu:inner-ip", NULL, 0)),
			 0);
	assert_int_equal(n_lines("takes no package"), 0);
	assert_int_equal(nic.insets[22].inset, UINT64_C(3) << 47 | UINT64_C(3) << 35);
	answers_take(port, false, hardware);
	answers_compare("changed profiles");
	assert_string_equal(changes, "+-+");
	ddp_end(port);
	assert_as_before();
}

static const struct {
	const char *devargs;
	uint32_t track_id; // of the package that is given; 0: none
	uint32_t held;     // that the NIC holds
	const struct ddp_i40e_calls *(*find)(struct ddp_diag *diag);
	unsigned int n_said;
	const char *said;
} refusals[] = {
	{GTP_PROFILE, 0, 0, calls_find, 1, "covers the profile: none is given (argument package)"},
	{DEV ",profile=vxlan", 0, 0, calls_find, 0, "package"}, // it wants none
	{"dev(net_testsrc0,nic=2),profile=gtpu,offload=auto:ice-comms", 0, 0, calls_find, 0,
	 "no package"}, // of the 800 series
	{GTP_PROFILE, 0x80080001, 0, calls_find, 1,
	 "gtp.pkgo: error: Intel does not document which fields"},
	{GTP_PROFILE, 0x00080003, 0, calls_find, 1,
	 "gtp.pkgo: error: its track id is invalid or read only"},
	{GTP_PROFILE, I40E_GTP, 0, calls_miss, 1,
	 "continues without its package: the driver is not here"},
	{GTP_PROFILE, I40E_GTP, I40E_GTP, calls_find, 1,
	 "gtp.pkgo: the NIC already holds it, or a profile"},
	{GTP_PROFILE, I40E_GTP, 0x80090001, calls_find, 1, "it, or a profile that excludes it"},
};

TEST(what_cannot_be_loaded_is_left_alone) {
	for (unsigned int i = 0; i < RTE_DIM(refusals); i++) {
		uint16_t port;

		nic_reset();
		has_package = refusals[i].track_id != 0;
		if (has_package)
			gtp_put(refusals[i].track_id);
		ddp_i40e_lower_calls = refusals[i].find;
		nic.loaded = before.loaded = refusals[i].held;
		before.maps_ptypes = nic.loaded != 0;
		port = port_run(refusals[i].devargs);
		assert_int_equal(n_lines(refusals[i].said), refusals[i].n_said);
		assert_int_equal(n_calls, refusals[i].held != 0);
		ddp_end(port);
		assert_as_before();
	}
}

TEST(once_gone_it_is_not_asked_any_more) {
	uint16_t port = port_run(GTP_PROFILE);
	unsigned int n = n_calls;

	assert_int_equal(rte_vdev_uninit("net_i40e0"), 0);
	ddp_end(port);
	assert_int_equal(n_calls, n);
}

#define TUNNEL ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255)
#define TUNNEL_PSC                                                                   \
	ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU_OPT(0x34, 255, 0x85), \
		PSC(UPLINK, 5, 0)

static const struct piece kinds[][10] = {
	{TUNNEL, IPV4(6, UE, NET), TCP(1024, 80), END},
	{TUNNEL, IPV4(17, UE, NET), UDP(1024, 443), END},
	{TUNNEL, IPV4(132, UE, NET), SCTP(1024, 38412), END},
	{TUNNEL, IPV4(1, UE, NET), ICMP, END},
	{TUNNEL, IPV4(253, UE, NET), DATA, END},
	{TUNNEL, IPV6(6, UE6, NET6), TCP(1024, 80), END},
	{TUNNEL_PSC, IPV4(6, UE, NET), TCP(1024, 80), END},
	{TUNNEL_PSC, IPV4(17, UE, NET), UDP(1024, 443), END},
	{TUNNEL_PSC, IPV4(132, UE, NET), SCTP(1024, 38412), END},
	{TUNNEL_PSC, IPV4(1, UE, NET), ICMP, END},
	{ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80), END},
	{ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), DATA, END},
};

static int i40e_setup(void **state) {
	int ret = port_setup(state);

	rte_log_set_level(ddp_port_logtype, RTE_LOG_INFO);
	answers_repeat(kinds, RTE_DIM(kinds));
	return ret;
}

GROUP(i40e_setup, NULL)
EACH(setup, leak_teardown)

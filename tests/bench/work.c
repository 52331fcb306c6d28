/* SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include "fail.h"
#include "profile/profile.h"

#define PROFILES "gtpu+vxlan+pppoe+l2tpv2+geneve+gre+mpls"
// "all" but "nested", which hashes another header of tunnels in tunnels than the others find.
#define ALL                                                                                    \
	"ecpri+geneve+gre+gre-in-udp+gtpc+gtpu+gtpu-over-gre+ipip+ipsec+l2tpv2+l2tpv3+macsec+" \
	"mpls+mpls-in-gre+mpls-in-udp+nsh+pfcp+ppp+pppoe+qinq+quic+rocev2+srv6+vlan+vxlan+vxlan-gpe"

struct work work;
static struct ddp_profile *profile, *profile_all;
static struct ddp_program *program, *program_all;

static struct ddp_program *load(const char *spec, struct ddp_profile **loaded) {
	struct ddp_program *built = NULL;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	*loaded = ddp_profile_load(spec, &diag);
	if (*loaded != NULL)
		built = ddp_program_build(*loaded, &diag);
	if (built == NULL)
		fail("%s", ddp_diag_first(&diag));
	ddp_diag_fini(&diag);
	return built;
}

void work_init(void) {
	work.program = program = load(PROFILES, &profile);
	work.all = program_all = load(ALL, &profile_all);
	ddp_hash_init(&work.hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	ddp_reta_fill(work.reta, DDP_RETA_SIZE, N_QUEUES);
}

void work_fini(void) {
	ddp_program_destroy(program);
	ddp_program_destroy(program_all);
	ddp_profile_destroy(profile);
	ddp_profile_destroy(profile_all);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "package_spec.h"

#include "common/output.h"
#include "personality/package_open.h"

int package_options_check(const char *file, const struct e810_config *nic,
			  enum ddp_hash_function function) {
	const bool is_package = ddp_is_package(file);
	const char *given = nic->n_vxlan > 0  ? "vxlan-port" :
			    nic->n_geneve > 0 ? "geneve-port" :
			    nic->n_ecpri > 0  ? "ecpri-port" :
			    nic->double_vlan  ? "dvm" :
						NULL;

	if (is_package && function == DDP_HASH_SYMMETRIC_TOEPLITZ_SORT)
		error_print("no NIC that Intel's packages are for has the hash function %s",
			    ddp_hash_function_name(function));
	else if (!is_package && given != NULL)
		error_print("option --%s is for Intel packages, and '%s' is a profile: see its "
			    "parameters with 'ddpctl info'",
			    given, file);
	else
		return EXIT_GOOD;
	return EXIT_USAGE;
}

static void ports_write(FILE *to, const char *parameter, const uint16_t *ports, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(to, ";%s=%u", parameter, ports[i]);
}

const char *package_spec(const char *file, const struct e810_config *nic, struct strbuf *text) {
	fputs(file, text->to);
	ports_write(text->to, "vxlan_port", nic->vxlan_ports, nic->n_vxlan);
	ports_write(text->to, "geneve_port", nic->geneve_ports, nic->n_geneve);
	ports_write(text->to, "ecpri_port", nic->ecpri_ports, nic->n_ecpri);
	if (nic->double_vlan)
		fputs(";dvm=1", text->to);
	return strbuf_take(text);
}

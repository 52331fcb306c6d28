/* SPDX-License-Identifier: BSD-3-Clause */
// UDP ports that the application declares for tunnels.
#include "port/exchange/exchange.h"

#include <errno.h>
#include <string.h>

// The headers of the profile library for ethdev's tunnel types, and their profiles.
static const struct known {
	enum rte_eth_tunnel_type type;
	const char *header, *profile;
} known[] = {
	{RTE_ETH_TUNNEL_TYPE_VXLAN, "vxlan", "vxlan"},
	{RTE_ETH_TUNNEL_TYPE_GENEVE, "geneve", "geneve"},
	{RTE_ETH_TUNNEL_TYPE_VXLAN_GPE, "vxlan_gpe", "vxlan-gpe"},
	{RTE_ETH_TUNNEL_TYPE_ECPRI, "ecpri", "ecpri"},
};

static const struct known *known_find(const struct ddp_port *port,
				      const struct rte_eth_udp_tunnel *tunnel) {
	for (unsigned int i = 0; i < RTE_DIM(known); i++)
		if (known[i].type == tunnel->prot_type)
			return &known[i];
	PORT_LOG(ERR, port->name,
		 "UDP ports can be declared for vxlan, vxlan-gpe, geneve and ecpri; those of other "
		 "tunnels are parameters of their profiles");
	return NULL;
}

static int tunnel_find(const struct ddp_port *port, uint16_t udp_port) {
	for (unsigned int i = 0; i < port->n_tunnels; i++)
		if (port->tunnels[i].port == udp_port)
			return i;
	return -1;
}

static int add_check(const struct ddp_port *port, const struct known *to, uint16_t udp_port) {
	int at = tunnel_find(port, udp_port);

	if (ddp_header_find(port->personality->profile, to->header) < 0) {
		PORT_LOG(ERR, port->name,
			 "no profile of this port has the header %s; profile '%s' has it",
			 to->header, to->profile);
		return -ENOTSUP;
	}
	if (at >= 0) {
		PORT_LOG(ERR, port->name, "UDP port %u is already declared for %s", udp_port,
			 port->tunnels[at].header);
		return -EEXIST;
	}
	if (port->n_tunnels == DDP_PORT_TUNNELS) {
		PORT_LOG(ERR, port->name, "%u UDP ports are declared, which is the maximum",
			 port->n_tunnels);
		return -ENOSPC;
	}
	return 0;
}

int ddp_tunnel_add(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel) {
	const struct known *to = known_find(port, tunnel);
	int ret = to == NULL ? -ENOTSUP : add_check(port, to, tunnel->udp_port);

	if (ret < 0)
		return ret;
	port->tunnels[port->n_tunnels++] = (struct ddp_tunnel){to->header, tunnel->udp_port};
	ret = ddp_personality_rebuild(port);
	if (ret < 0)
		port->n_tunnels--;
	return ret;
}

int ddp_tunnel_del(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel) {
	const struct known *from = known_find(port, tunnel);
	struct ddp_tunnel *tunnels = port->tunnels;
	struct ddp_tunnel del;
	int at, ret;

	if (from == NULL)
		return -ENOTSUP;
	at = tunnel_find(port, tunnel->udp_port);
	if (at < 0 || strcmp(tunnels[at].header, from->header) != 0) {
		PORT_LOG(ERR, port->name, "UDP port %u was not declared for %s", tunnel->udp_port,
			 from->header);
		return -ENOENT;
	}
	del = tunnels[at];
	tunnels[at] = tunnels[--port->n_tunnels];
	ret = ddp_personality_rebuild(port);
	if (ret < 0)
		tunnels[port->n_tunnels++] = del;
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
// UDP ports that are declared while a port runs: each is an attachment, as a profile would write it
// ("vxlan: {after: udp(dport=4790)}"), and held to the same rules.
#include <stdio.h>
#include <string.h>

#include "loader.h"

void tunnel_read(struct loader *l, const struct ddp_tunnel *tunnel) {
	int header = header_find(l, tunnel->header, strlen(tunnel->header));
	struct ddp_yaml after = {.kind = DDP_YAML_SCALAR};
	char text[32], place[64];

	if (header < 0)
		return;
	snprintf(text, sizeof(text), "udp(dport=%u)", tunnel->port);
	snprintf(place, sizeof(place), "UDP port %u of %s", tunnel->port, tunnel->header);
	after.place.file = ddp_arena_strdup(l->arena, place);
	after.value = ddp_arena_strdup(l->arena, text);
	after.text = (struct ddp_text){after.value, strlen(after.value), after.place};
	for (l->part = l->parts; l->part->name != l->profile->headers[header].profile; l->part++)
		; // the attachment is as if that profile had made it
	after_read(l, header, &after);
}

/* SPDX-License-Identifier: BSD-3-Clause */
// The version of all JSON documents of ddpctl and ddp-fwd: key "schema_version" of a document's
// outermost object, or of each of them where the document is an array. It grows when a key is
// renamed or removed, or changes its type or meaning, and not when one is added; CHANGELOG.md
// promises when that may be.
#ifndef DDP_JSON_SCHEMA_H
#define DDP_JSON_SCHEMA_H

#define JSON_SCHEMA_KEY "schema_version"
#define JSON_SCHEMA_VERSION 1

#endif

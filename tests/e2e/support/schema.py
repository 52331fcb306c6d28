# SPDX-License-Identifier: BSD-3-Clause
"""The JSON Schema files of ddpctl's output, apps/ctl/schema."""

import json

from support import harness

FOLDER = harness.SOURCE_ROOT / "apps" / "ctl" / "schema"


def load(name):
    return json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))


def check(case, name, document, part=None):
    """The document is as the file says, or as its definition part does. Skips without jsonschema."""
    try:
        import jsonschema
    except ImportError:
        case.skipTest("jsonschema is not installed")
    schema = load(name)
    if part is not None:
        schema = {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    if "simulation" in schema.get("properties", {}):  # of advise: the output of simulate
        check(case, "simulate", document["simulation"] | {"schema_version": 1})
        schema["properties"]["simulation"] = {}
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(document))
    if error is not None:
        words = [f"{each.json_path}: {each.message[-200:]}" for each in [error, *error.context]]
        case.fail(f"{name}.schema.json: " + "\n".join(words[:20]))

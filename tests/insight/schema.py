"""The part of JSON Schema that why.schema.json uses (draft 7: type, enum, required, properties, additionalProperties, items, minItems, maxItems,
pattern; a $ref is the name of a definition)."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("number", "integer"):
        return not isinstance(value, bool) and isinstance(value, int if name == "integer" else (int, float))
    return isinstance(value, TYPES[name])


def problems(value, schema, root, place="$"):
    """What of the value is not as the schema says, a line each."""
    if "$ref" in schema:
        return problems(value, root["definitions"][schema["$ref"]], root, place)
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place}: {value!r} is none of {schema['enum']}"]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_type(value, kind) for kind in kinds):
        return [f"{place}: {value!r} is no {' or '.join(kinds)}"]
    found = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value]
        if schema.get("additionalProperties") is False:
            found += [f"{place}: {name} is not in the schema" for name in value if name not in known]
        for name, inner in known.items():
            if name in value:
                found += problems(value[name], inner, root, f"{place}.{name}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{place}: {len(value)} items")
        for n, item in enumerate(value):
            found += problems(item, schema.get("items", {}), root, f"{place}[{n}]")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{place}: {value!r} is not {schema['pattern']}")
    return found

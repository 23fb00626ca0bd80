"""validate_json.py SCHEMA FILE: exit 0 valid, 1 not (with the places), 77 jsonschema is missing."""

import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    try:
        document = json.load(file, parse_constant=refuse)
    except ValueError as error:
        print(error)
        sys.exit(1)
jsonschema.Draft202012Validator.check_schema(schema)
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
for error in errors:
    print("/".join(str(part) for part in error.absolute_path), error.message[:300])
sys.exit(1 if errors else 0)

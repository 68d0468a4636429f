/* Bad scene files: every deviation is refused with its place, in one line that says what was expected,
 * whether it is a field, the syntax or the file itself; and damaged files do no harm. */
#include "tests/scene_files.h"

/* The message must be "file: place: ...what...", or "file:line:column: ..."; a null place is the file. */
static void assert_refused(const char *text, const char *place, const char *what)
{
    char error[512];
    dry_scene scene;
    write_scratch(text, strlen(text));
    if (dry_scene_read(scratch, &scene, error, sizeof error))
        fail_msg("accepted, but should be refused: %s", text);
    assert_null(scene.bodies);
    assert_null(scene.name);
    assert_null(strchr(error, '\n'));
    if (strncmp(error, scratch, strlen(scratch)) != 0)
        fail_msg("no file in: %s", error);
    const char *rest = error + strlen(scratch);
    bool column = place && place[0] >= '0' && place[0] <= '9';
    char wanted[256];
    snprintf(wanted, sizeof wanted, ":%s%s%s", column ? "" : " ", place ? place : "", place ? ": " : "");
    if (strncmp(rest, wanted, strlen(wanted)) != 0 || !strstr(rest, what))
        fail_msg("expected \"%s\" and \"%s\" in: %s", wanted, what, error);
}

#define SCENE(rest) "{\"format\": \"drystone-scene\", \"version\": 1" rest "}"
#define BODIES(list) SCENE(", \"bodies\": [" list "]")
#define FIRST "{\"id\": \"a\", \"type\": \"static\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}"
#define SECOND "{\"id\": \"b\", \"type\": \"dynamic\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}"
#define BODY(fields) BODIES(FIRST ", {\"id\": \"b\", \"type\": \"dynamic\", \"shapes\": []" fields "}")
#define SHAPE(fields) BODIES("{\"id\": \"b\", \"type\": \"dynamic\", \"shapes\": [{\"type\": " fields "}]}")
#define STATIC_SHAPE(fields)                                                                                 \
    BODIES("{\"id\": \"b\", \"type\": \"static\", \"shapes\": [{\"type\": " fields "}]}")
#define JOINT(fields) SCENE(", \"bodies\": [" FIRST ", " SECOND "], \"joints\": [{\"type\": " fields "}]")
#define BALL "{\"type\": \"sphere\", \"radius\": 1}"
#define MESH "\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], \"triangles\": [[0, 1, 2]]"
#define FIELD "\"rows\": 2, \"columns\": 2, \"spacing\": [1, 1]"
#define ENDS "\"body_a\": \"a\", \"body_b\": \"b\""
#define ANCHORS "\"anchor_a\": [0, 0, 0], \"anchor_b\": [0, 0, 0]"

static const struct {
    const char *text, *place, *what;
} bad_field_errors[] = {
    {"{\"version\": 1, \"bodies\": []}", "format", "missing"},
    {"{\"format\": \"x\", \"version\": 1, \"bodies\": []}", "format", "\"drystone-scene\""},
    {"{\"format\": \"drystone-scene\", \"bodies\": []}", "version", "missing"},
    {"{\"format\": \"drystone-scene\", \"version\": 2, \"bodies\": []}", "version", "expected 1, got 2"},
    {"{\"format\": \"drystone-scene\", \"version\": \"1\", \"bodies\": []}", "version", "a number"},
    {SCENE(""), "bodies", "missing"},
    {SCENE(", \"bodies\": {}"), "bodies", "expected an array, got an object"},
    {SCENE(", \"bodies\": [], \"color\": 1"), "color", "unknown field"},
    {SCENE(", \"bodies\": [], \"name\": 1"), "name", "expected a string"},
    {SCENE(", \"bodies\": [], \"source\": []"), "source", "expected a string"},
    {SCENE(", \"bodies\": [], \"joints\": null"), "joints", "expected an array, got null"},
    {SCENE(", \"bodies\": [], \"gravity\": -9.81"), "gravity", "expected an array"},
    {SCENE(", \"bodies\": [], \"gravity\": [0, 1]"), "gravity", "3 numbers, got 2"},
    {SCENE(", \"bodies\": [], \"gravity\": [0, 1, \"2\"]"), "gravity[2]", "expected a number"},
    {SCENE(", \"bodies\": [], \"gravity\": [0, 2e6, 0]"), "gravity[1]", "1e+06"},
    {SCENE(", \"bodies\": [], \"gravity\": [0, 1e300, 0]"), "gravity[1]", "finite"},
    {SCENE(", \"bodies\": [], \"dt\": 0"), "dt", "from 1e-7 to 1"},
    {SCENE(", \"bodies\": [], \"dt\": 9e-8"), "dt", "from 1e-7 to 1"},
    {SCENE(", \"bodies\": [], \"dt\": 1.5"), "dt", "from 1e-7 to 1"},

    {BODIES("7"), "bodies[0]", "expected an object, got a number"},
    {BODIES(FIRST ", {}"), "bodies[1].id", "missing"},
    {BODIES("{\"id\": 4, \"type\": \"static\", \"shapes\": []}"), "bodies[0].id", "expected a string"},
    {BODIES("{\"id\": \"\", \"type\": \"static\", \"shapes\": []}"), "bodies[0].id", "at least one"},
    {BODIES("{\"id\": \"a\", \"shapes\": []}"), "bodies[0].type", "missing"},
    {BODIES("{\"id\": \"a\", \"type\": \"rigid\", \"shapes\": []}"), "bodies[0].type", "\"kinematic\""},
    {BODIES("{\"id\": \"a\", \"type\": \"static\"}"), "bodies[0].shapes", "missing"},
    {BODIES(FIRST ", " SECOND ", " FIRST), "bodies[2].id", "\"a\", which is also bodies[0]"},
    {BODY(", \"color\": 1"), "bodies[1].color", "unknown field"},
    {BODY(", \"position\": [0, 0]"), "bodies[1].position", "3 numbers"},
    {BODY(", \"position\": [0, true, 0]"), "bodies[1].position[1]", "true or false"},
    {BODY(", \"position\": [0, 0, -1.1e9]"), "bodies[1].position[2]", "1e+09"},
    {BODY(", \"orientation\": [0, 0, 1]"), "bodies[1].orientation", "4 numbers"},
    {BODY(", \"orientation\": [0, 0, 0, 0]"), "bodies[1].orientation", "unit length"},
    {BODY(", \"orientation\": [0, 0, 0, 1.0011]"), "bodies[1].orientation", "unit length"},
    {BODY(", \"orientation\": [0, 0, 0, 0.9989]"), "bodies[1].orientation", "unit length"},
    {BODY(", \"velocity\": [80000, 80000, 0]"), "bodies[1].velocity", "length at most"},
    {BODY(", \"velocity\": [1e39, 0, 0]"), "bodies[1].velocity[0]", "finite"},
    {BODY(", \"angular_velocity\": [8000, 0, 8000]"), "bodies[1].angular_velocity", "length at most"},
    {BODY(", \"mass\": 0"), "bodies[1].mass", "more than 0"},
    {BODY(", \"mass\": -1"), "bodies[1].mass", "more than 0"},
    {BODY(", \"mass\": 1e16"), "bodies[1].mass", "1e+15"},
    {BODY(", \"linear_damping\": -0.5"), "bodies[1].linear_damping", "at least 0"},
    {BODY(", \"angular_damping\": 1e39"), "bodies[1].angular_damping", "finite"},
    {BODY(", \"mass\": \"heavy\""), "bodies[1].mass", "expected a number, got a string"},

    {SHAPE("3"), "bodies[0].shapes[0].type", "expected a string"},
    {SHAPE("\"cone\""), "bodies[0].shapes[0].type", "\"capsule\""},
    {SHAPE("\"box\""), "bodies[0].shapes[0].half_extents", "missing"},
    {SHAPE("\"box\", \"half_extents\": [1, 0, 1]"), "bodies[0].shapes[0].half_extents[1]", "0.0001"},
    {SHAPE("\"box\", \"half_extents\": [1, 1, -1]"), "bodies[0].shapes[0].half_extents[2]", "got -1"},
    {SHAPE("\"box\", \"half_extents\": [2e6, 1, 1]"), "bodies[0].shapes[0].half_extents[0]", "1e+06"},
    {SHAPE("\"box\", \"half_extents\": [1, 1, 1], \"radius\": 1"), "bodies[0].shapes[0].radius",
     "unknown field"},
    {SHAPE("\"sphere\""), "bodies[0].shapes[0].radius", "missing"},
    {SHAPE("\"sphere\", \"radius\": 0"), "bodies[0].shapes[0].radius", "0.0001"},
    {SHAPE("\"sphere\", \"radius\": 1e-60"), "bodies[0].shapes[0].radius", "0.0001"},
    {SHAPE("\"sphere\", \"radius\": [1]"), "bodies[0].shapes[0].radius", "got an array"},
    {SHAPE("\"capsule\", \"radius\": 1"), "bodies[0].shapes[0].half_length", "missing"},
    {SHAPE("\"capsule\", \"half_length\": 1"), "bodies[0].shapes[0].radius", "missing"},
    {SHAPE("\"capsule\", \"radius\": 1, \"half_length\": 0"), "bodies[0].shapes[0].half_length",
     "more than 0"},
    {SHAPE("\"halfspace\", \"normal\": [0, 1, 0], \"offset\": 0"), "bodies[0].shapes[0].type", "static body"},
    {STATIC_SHAPE("\"halfspace\", \"offset\": 0"), "bodies[0].shapes[0].normal", "missing"},
    {STATIC_SHAPE("\"halfspace\", \"normal\": [0, 1, 0]"), "bodies[0].shapes[0].offset", "missing"},
    {STATIC_SHAPE("\"halfspace\", \"normal\": [0, 1, 1], \"offset\": 0"), "bodies[0].shapes[0].normal",
     "unit length"},
    {STATIC_SHAPE("\"halfspace\", \"normal\": [0, 1, 0], \"offset\": 2e6"), "bodies[0].shapes[0].offset",
     "1e+06"},
    {SHAPE("\"sphere\", \"radius\": 1, \"position\": [1e6, 1e6, 0]"), "bodies[0].shapes[0].position",
     "1e+06"},
    {SHAPE("\"sphere\", \"radius\": 1, \"orientation\": [1, 0, 0, 1]"), "bodies[0].shapes[0].orientation",
     "unit length"},
    {SHAPE("\"sphere\", \"radius\": 1, \"density\": -1"), "bodies[0].shapes[0].density", "1e+09"},
    {SHAPE("\"sphere\", \"radius\": 1, \"friction\": 1001"), "bodies[0].shapes[0].friction", "to 1000"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": 1"), "bodies[0].shapes[0].materials",
     "expected an array"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": []"), "bodies[0].shapes[0].materials",
     "1 to 65536 materials, got 0"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": [{}, 2]"), "bodies[0].shapes[0].materials[1]",
     "expected an object"},
    {SHAPE("\"sphere\", \"radius\": 1, \"friction\": 1, \"materials\": [{}]"),
     "bodies[0].shapes[0].materials", "either materials or friction"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": [{\"color\": 1}]"),
     "bodies[0].shapes[0].materials[0].color", "unknown field"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": [{}, {\"friction\": -1}]"),
     "bodies[0].shapes[0].materials[1].friction", "from 0 to 1000"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": [{\"contact_damping\": 1}]"),
     "bodies[0].shapes[0].materials[0].contact_damping", "from 0 to 0"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": [{\"surface_velocity\": [0, 2e5, 0]}]"),
     "bodies[0].shapes[0].materials[0].surface_velocity[1]", "100000"},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": [{\"friction_rule\": \"sum\"}]"),
     "bodies[0].shapes[0].materials[0].friction_rule", "\"geometric-mean\""},
    {SHAPE("\"sphere\", \"radius\": 1, \"materials\": [{\"id\": 1.5}]"),
     "bodies[0].shapes[0].materials[0].id", "whole number"},
    {SHAPE("\"sphere\", \"radius\": 1, \"static_friction\": 1001"), "bodies[0].shapes[0].static_friction",
     "to 1000"},
    {SHAPE("\"sphere\", \"radius\": 1, \"contact_stiffness\": -1"), "bodies[0].shapes[0].contact_stiffness",
     "to 1e+15"},
    {SHAPE("\"sphere\", \"radius\": 1, \"contact_damping\": 1"), "bodies[0].shapes[0].contact_damping",
     "from 0 to 0"},
    {SHAPE("\"sphere\", \"radius\": 1, \"restitution\": 1.1"), "bodies[0].shapes[0].restitution",
     "from 0 to 1"},
    {SHAPE("\"sphere\", \"radius\": 1, \"rolling_resistance\": -0.1"),
     "bodies[0].shapes[0].rolling_resistance", "from 0 to 1000"},
    {SHAPE("\"sphere\", \"radius\": 1, \"group\": 0.5"), "bodies[0].shapes[0].group", "whole number"},
    {SHAPE("\"sphere\", \"radius\": 1, \"group\": -1000000001"), "bodies[0].shapes[0].group", "whole number"},
    {SHAPE("\"sphere\", \"radius\": 1, \"events\": \"some\""), "bodies[0].shapes[0].events", "\"contacts\""},
    {SHAPE("\"sphere\", \"radius\": 1, \"events\": 3"), "bodies[0].shapes[0].events", "string"},
    {SHAPE("\"sphere\", \"radius\": 1e6"), "bodies[0].shapes", "1e+15 kg"},

    {SHAPE("\"cylinder\", \"radius\": 1"), "bodies[0].shapes[0].half_length", "missing"},
    {SHAPE("\"cylinder\", \"half_length\": 1"), "bodies[0].shapes[0].radius", "missing"},
    {SHAPE("\"cylinder\", \"radius\": 1, \"half_length\": 0"), "bodies[0].shapes[0].half_length", "0.0001"},
    {SHAPE("\"cylinder\", \"radius\": 1, \"half_length\": 1, \"scale\": [1, 1, 2]"),
     "bodies[0].shapes[0].scale", "x and z alike"},
    {SHAPE("\"sphere\", \"radius\": 1, \"scale\": [1, 1, 2]"), "bodies[0].shapes[0].scale", "alike"},
    {SHAPE("\"sphere\", \"radius\": 1, \"scale\": [1, 0, 1]"), "bodies[0].shapes[0].scale[1]", "0.001"},
    {SHAPE("\"sphere\", \"radius\": 1, \"scale\": [-1001, 1, 1]"), "bodies[0].shapes[0].scale[0]", "1000"},
    {SHAPE("\"sphere\", \"radius\": 1, \"scale\": 2"), "bodies[0].shapes[0].scale", "an array"},
    {STATIC_SHAPE("\"halfspace\", \"normal\": [0, 1, 0], \"offset\": 0, \"scale\": [1, 2, 1]"),
     "bodies[0].shapes[0].scale", "1, 1, 1"},
    {SHAPE("\"hull\""), "bodies[0].shapes[0].points", "missing"},
    {SHAPE("\"hull\", \"points\": 3"), "bodies[0].shapes[0].points", "an array"},
    {SHAPE("\"hull\", \"points\": []"), "bodies[0].shapes[0].points", "1 to 1000000"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0], 4]"), "bodies[0].shapes[0].points[1]", "an array"},
    {SHAPE("\"hull\", \"points\": [[0, 0]]"), "bodies[0].shapes[0].points[0]", "3 numbers"},
    {SHAPE("\"hull\", \"points\": [[0, 0, \"a\"]]"), "bodies[0].shapes[0].points[0][2]", "a number"},
    {SHAPE("\"hull\", \"points\": [[0, 1e39, 0]]"), "bodies[0].shapes[0].points[0][1]", "finite"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0], [0, 2e6, 0]]"), "bodies[0].shapes[0].points[1]",
     "-1e+06 to 1e+06"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]"), "bodies[0].shapes[0].points",
     "fewer than four"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]"),
     "bodies[0].shapes[0].points", "in a plane"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0]], \"max_vertices\": 3"), "bodies[0].shapes[0].max_vertices",
     "4 to 256"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0]], \"max_vertices\": 4.5"), "bodies[0].shapes[0].max_vertices",
     "whole number"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0]], \"max_vertices\": 300"), "bodies[0].shapes[0].max_vertices",
     "256"},
    {SHAPE("\"hull\", \"points\": [[0, 0, 0]], \"file\": \"a.obj\""), "bodies[0].shapes[0].file", "got both"},
    {SHAPE("\"hull\", \"file\": 1"), "bodies[0].shapes[0].file", "a string"},
    {SHAPE("\"hull\", \"file\": \"/etc/a.obj\""), "bodies[0].shapes[0].file", "relative"},
    {SHAPE("\"hull\", \"file\": \"no_such.obj\""), "bodies[0].shapes[0].file", "no_such.obj: expected a"},
    {SHAPE("\"hull\", \"file\": \"a.ply\""), "bodies[0].shapes[0].file", ".obj or .stl"},
    {SHAPE("\"hull\", \"children\": []"), "bodies[0].shapes[0].children", "unknown field"},
    {SHAPE("\"mesh\", " MESH), "bodies[0].shapes[0].type", "compound of hulls"},
    {STATIC_SHAPE("\"mesh\""), "bodies[0].shapes[0].vertices", "missing"},
    {STATIC_SHAPE("\"mesh\", \"vertices\": [[0, 0, 0]]"), "bodies[0].shapes[0].triangles", "missing"},
    {STATIC_SHAPE("\"mesh\", \"vertices\": [[0, 0, 0]], \"triangles\": []"), "bodies[0].shapes[0].triangles",
     "1 to 16777216"},
    {STATIC_SHAPE("\"mesh\", \"vertices\": [[0, 0, 0]], \"triangles\": [[0, 0]]"),
     "bodies[0].shapes[0].triangles[0]", "three numbers"},
    {STATIC_SHAPE("\"mesh\", \"vertices\": [[0, 0, 0]], \"triangles\": [[0, 0, 1]]"),
     "bodies[0].shapes[0].triangles[0][2]", "from 0 to 0"},
    {STATIC_SHAPE("\"mesh\", \"vertices\": [[0, 0, 0]], \"triangles\": [[0, 0.5, 0]]"),
     "bodies[0].shapes[0].triangles[0][1]", "a whole number"},
    {STATIC_SHAPE("\"mesh\", \"vertices\": [[0, 0, 0]], \"triangles\": [[0, 0, 0]]"), "bodies[0].shapes[0]",
     "no triangle has an area"},
    {STATIC_SHAPE("\"mesh\", \"vertices\": [[0, 2e6, 0]], \"triangles\": [[0, 0, 0]]"), "bodies[0].shapes[0]",
     "beyond 1e6"},
    {STATIC_SHAPE("\"mesh\", \"solid\": true, " MESH), "bodies[0].shapes[0]", "an odd number of triangles"},
    {STATIC_SHAPE("\"mesh\", \"two_sided\": 1, " MESH), "bodies[0].shapes[0].two_sided", "true or false"},
    {STATIC_SHAPE("\"mesh\", \"material_indices\": [], " MESH), "bodies[0].shapes[0].material_indices",
     "1 numbers, got 0"},
    {STATIC_SHAPE("\"mesh\", \"material_indices\": [65536], " MESH),
     "bodies[0].shapes[0].material_indices[0]", "from 0 to 65535"},
    {STATIC_SHAPE("\"mesh\", \"file\": \"a.obj\", " MESH), "bodies[0].shapes[0].file", "got both"},
    {STATIC_SHAPE("\"mesh\", \"points\": [], " MESH), "bodies[0].shapes[0].points", "unknown field"},
    {SHAPE("\"height_field\", " FIELD ", \"heights\": [0, 0, 0, 0]"), "bodies[0].shapes[0].type",
     "compound of hulls"},
    {STATIC_SHAPE("\"height_field\""), "bodies[0].shapes[0].rows", "missing"},
    {STATIC_SHAPE("\"height_field\", \"rows\": 1"), "bodies[0].shapes[0].rows", "from 2 to 16385"},
    {STATIC_SHAPE("\"height_field\", \"rows\": 2, \"columns\": 16386"), "bodies[0].shapes[0].columns",
     "from 2 to 16385"},
    {STATIC_SHAPE("\"height_field\", \"rows\": 2, \"columns\": 2, \"spacing\": [1, 0]"),
     "bodies[0].shapes[0].spacing[1]", "above 0"},
    {STATIC_SHAPE("\"height_field\", \"rows\": 2, \"columns\": 2, \"spacing\": 1"),
     "bodies[0].shapes[0].spacing", "an array"},
    {STATIC_SHAPE("\"height_field\", " FIELD), "bodies[0].shapes[0].heights", "missing"},
    {STATIC_SHAPE("\"height_field\", " FIELD ", \"heights\": [0, 0, 0]"), "bodies[0].shapes[0].heights",
     "4 numbers, got 3"},
    {STATIC_SHAPE("\"height_field\", " FIELD ", \"heights\": [0, 0, 0, 2e6]"),
     "bodies[0].shapes[0].heights[3]", "1000000"},
    {STATIC_SHAPE("\"height_field\", " FIELD ", \"heights\": [0, 0, 0, 0], \"holes\": [2]"),
     "bodies[0].shapes[0].holes[0]", "from 0 to 1"},
    {STATIC_SHAPE("\"height_field\", " FIELD ", \"heights\": [0, 0, 0, 0], \"holes\": [true]"),
     "bodies[0].shapes[0]", "all cells are holes"},
    {STATIC_SHAPE("\"height_field\", " FIELD ", \"heights\": [0, 0, 0, 0], \"diagonal\": \"up\""),
     "bodies[0].shapes[0].diagonal", "forward"},
    {STATIC_SHAPE("\"height_field\", " FIELD ", \"heights\": [0, 0, 0, 0], \"solid_depth\": -1"),
     "bodies[0].shapes[0]", "solid depth"},
    {SHAPE("\"compound\""), "bodies[0].shapes[0].children", "missing"},
    {SHAPE("\"compound\", \"children\": [" BALL ", {\"type\": \"mesh\", " MESH "}]"),
     "bodies[0].shapes[0].type", "under a mesh, got a dynamic one; a dynamic one takes a compound of hulls"},
    {SHAPE("\"compound\", \"children\": []"), "bodies[0].shapes[0].children", "1 to 65535"},
    {SHAPE("\"compound\", \"children\": [4]"), "bodies[0].shapes[0].children[0]", "an object"},
    {SHAPE("\"compound\", \"children\": [" BALL ", {\"type\": \"compound\"}]"),
     "bodies[0].shapes[0].children[1].type", "no compound"},
    {SHAPE("\"compound\", \"children\": [{\"type\": \"halfspace\"}]"), "bodies[0].shapes[0].children[0].type",
     "no halfspace"},
    {SHAPE("\"compound\", \"children\": [{\"type\": \"sphere\", \"radius\": -1}]"),
     "bodies[0].shapes[0].children[0].radius", "0.0001"},
    {SHAPE("\"compound\", \"children\": [{\"type\": \"sphere\", \"radius\": 1, \"scale\": [1, 2, 0]}]"),
     "bodies[0].shapes[0].children[0].scale[2]", "0.001"},
    {SHAPE("\"compound\", \"children\": [{\"type\": \"sphere\", \"radius\": 1, \"density\": 1}]"),
     "bodies[0].shapes[0].children[0].density", "unknown field"},
    {SHAPE("\"compound\", \"children\": [" BALL "], \"scale\": [1, 2, 1]"), "bodies[0].shapes[0].scale",
     "each child"},
    {SHAPE("\"compound\", \"children\": [{\"type\": \"box\", \"half_extents\": [1, 1, 1], "
           "\"orientation\": [1, 0, 0, 0]}], \"scale\": [1, 2, 1]"),
     "bodies[0].shapes[0].scale", "rotated children"},

    {SCENE(", \"bodies\": [], \"joints\": [[]]"), "joints[0]", "expected an object"},
    {JOINT("\"weld\""), "joints[0].type", "\"ball\" or \"distance\" or \"target\""},
    {JOINT("\"ball\", " ANCHORS), "joints[0].body_a", "missing"},
    {JOINT("\"ball\", \"body_a\": \"a\", \"body_b\": \"c\", " ANCHORS), "joints[0].body_b", "\"c\""},
    {JOINT("\"ball\", \"body_a\": \"b\", \"body_b\": \"b\", " ANCHORS), "joints[0].body_b", "another"},
    {JOINT("\"ball\", " ENDS ", \"anchor_a\": [0, 0, 0]"), "joints[0].anchor_b", "missing"},
    {JOINT("\"ball\", " ENDS ", \"anchor_a\": [0, 0, 0], \"anchor_b\": [0, 2e6, 0]"), "joints[0].anchor_b[1]",
     "1e+06"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"length\": 1"), "joints[0].length", "unknown field"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"collide\": 1"), "joints[0].collide", "true or false"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"damping\": 1"), "joints[0].damping", "stiffness"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS), "joints[0].length", "missing"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length\": -1"), "joints[0].length", "1e+06"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length\": 1, \"stiffness\": -1"), "joints[0].stiffness",
     "1e+15"},
};

static void test_field_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_field_errors / sizeof *bad_field_errors; i++)
        assert_refused(bad_field_errors[i].text, bad_field_errors[i].place, bad_field_errors[i].what);
}

#define AXES(type, list) JOINT("\"" type "\", " ENDS ", " ANCHORS ", \"axes\": {" list "}")
#define HINGE(fields) AXES("hinge", "\"rx\": {" fields "}")
#define GENERIC(fields) AXES("generic", "\"x\": {" fields "}")
#define WORLD "\"body_a\": null, \"body_b\": \"b\""

static const struct {
    const char *text, *place, *what;
} bad_joint_errors[] = {
    /* The bodies, and the frames. */
    {JOINT("\"hinge\", \"body_b\": \"b\", " ANCHORS), "joints[0].body_a", "missing"},
    {JOINT("\"hinge\", \"body_a\": 1, \"body_b\": \"b\", " ANCHORS), "joints[0].body_a", "a string"},
    {JOINT("\"hinge\", \"body_a\": \"b\", \"body_b\": null, " ANCHORS), "joints[0].body_b", "got null"},
    {JOINT("\"hinge\", " WORLD ", \"anchor_b\": [0, 0, 0]"), "joints[0].anchor_a", "missing"},
    {JOINT("\"hinge\", " WORLD ", " ANCHORS ", \"target\": [0, 1e10, 0]"), "joints[0].target[1]", "1e+09"},
    {JOINT("\"hinge\", " WORLD ", " ANCHORS ", \"target\": [0, 0]"), "joints[0].target", "3 numbers"},
    {JOINT("\"hinge\", " ENDS ", " ANCHORS ", \"target\": [0, 0, 0]"), "joints[0].target", "two bodies"},
    {JOINT("\"hinge\", " ENDS ", " ANCHORS ", \"orientation_a\": [0, 0, 1]"), "joints[0].orientation_a",
     "4 numbers"},
    {JOINT("\"hinge\", " ENDS ", " ANCHORS ", \"orientation_b\": [0, 0, 0, 1.0011]"),
     "joints[0].orientation_b", "unit length"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"orientation_a\": [0, 0, 0, 1]"), "joints[0].orientation_a",
     "unknown field"},
    {JOINT("\"target\", \"body_b\": \"b\", \"anchor_b\": [0, 0, 0]"), "joints[0].target", "missing"},
    {JOINT("\"target\", " ENDS ", \"anchor_b\": [0, 0, 0], \"target\": [0, 0, 0]"), "joints[0].body_a",
     "expected null"},
    {JOINT("\"target\", " WORLD ", " ANCHORS ", \"target\": [0, 0, 0]"), "joints[0].anchor_a",
     "unknown field"},
    {JOINT("\"target\", " WORLD ", \"target\": [0, 0, 0]"), "joints[0].anchor_b", "missing"},

    /* Numbers of a type. */
    {JOINT("\"target\", " WORLD ", \"anchor_b\": [0, 0, 0], \"target\": [0, 0, 0], \"force_max\": -1"),
     "joints[0].force_max", "from 0 to 1e+15"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"force_max\": 1"), "joints[0].force_max", "unknown field"},
    {JOINT("\"hinge\", " ENDS ", " ANCHORS ", \"stiffness\": 1"), "joints[0].stiffness", "unknown field"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length_min\": -1, \"length\": 1"), "joints[0].length_min",
     "from 0 to 1e+06"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length_max\": 2e6"), "joints[0].length_max",
     "from 0 to 1e+06"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length_min\": 2, \"length_max\": 1"),
     "joints[0].length_min", "length_max"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length_min\": 0"), "joints[0].length", "missing"},
    {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length_max\": 2, \"stiffness\": 1"), "joints[0].length",
     "missing"},
    {JOINT("\"cone-twist\", " ENDS ", " ANCHORS ", \"swing_max\": 3.15"), "joints[0].swing_max",
     "from 0 to 3.14159"},
    {JOINT("\"hinge\", " ENDS ", " ANCHORS ", \"swing_max\": 1"), "joints[0].swing_max", "unknown field"},
    {JOINT("\"fixed\", " ENDS ", " ANCHORS ", \"break_force\": -1"), "joints[0].break_force", "from 0"},
    {JOINT("\"fixed\", " ENDS ", " ANCHORS ", \"break_torque\": -1"), "joints[0].break_torque", "from 0"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"event_force\": -1"), "joints[0].event_force", "from 0"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"event_torque\": 4e38"), "joints[0].event_torque", "finite"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"solver\": \"exact\""), "joints[0].solver",
     "expected \"iterative\" or \"direct\" or \"auto\", got \"exact\""},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"solver\": \"world\""), "joints[0].solver",
     "expected \"iterative\" or \"direct\" or \"auto\", got \"world\""},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"solver\": 2"), "joints[0].solver", "expected a string"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"solver\": null"), "joints[0].solver",
     "expected a string, got null"},
    {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"joint_solver\": \"direct\""), "joints[0].joint_solver",
     "unknown field"},

    /* Which axes there are. */
    {AXES("fixed", ""), "joints[0].axes", "unknown field"},
    {AXES("ball", ""), "joints[0].axes", "unknown field"},
    {JOINT("\"hinge\", " ENDS ", " ANCHORS ", \"axes\": []"), "joints[0].axes", "expected an object"},
    {AXES("hinge", "\"x\": {}"), "joints[0].axes.x", "expected one of rx"},
    {AXES("wheel", "\"rz\": {}"), "joints[0].axes.rz", "expected one of y, rx, ry"},
    {AXES("hinge", "\"rx\": 1"), "joints[0].axes.rx", "expected an object"},
    {HINGE("\"minimum\": 1"), "joints[0].axes.rx.minimum", "unknown field"},
    {HINGE("\"motor\": 1"), "joints[0].axes.rx.motor", "unknown field"},
    {HINGE("\"state\": \"free\""), "joints[0].axes.rx.state", "unknown field"},
    {HINGE("\"min\": null"), "joints[0].axes.rx.min", "expected a number, got null"},

    /* Ranges of an axis's numbers. */
    {HINGE("\"min\": 1e39"), "joints[0].axes.rx.min", "finite"},
    {HINGE("\"max\": -3.41e38"), "joints[0].axes.rx.max", "finite"},
    {HINGE("\"min\": 2, \"max\": 1"), "joints[0].axes.rx.min", "max"},
    {HINGE("\"max\": 1, \"stop_hertz\": 2e4"), "joints[0].axes.rx.stop_hertz", "to 10000"},
    {HINGE("\"max\": 1, \"stop_hertz\": 1, \"stop_damping_ratio\": 2e3"),
     "joints[0].axes.rx.stop_damping_ratio", "to 1000"},
    {HINGE("\"max\": 1, \"stop_stiffness\": -1"), "joints[0].axes.rx.stop_stiffness", "to 1e+15"},
    {HINGE("\"max\": 1, \"stop_stiffness\": 1, \"stop_damping\": 1e16"), "joints[0].axes.rx.stop_damping",
     "to 1e+15"},
    {HINGE("\"max\": 1, \"stop_restitution\": 1.1"), "joints[0].axes.rx.stop_restitution", "to 1, got"},
    {HINGE("\"velocity\": 2e6"), "joints[0].axes.rx.velocity", "-1e+06 to 1e+06"},
    {HINGE("\"position\": -2e6"), "joints[0].axes.rx.position", "-1e+06 to 1e+06"},
    {HINGE("\"position\": 0, \"motor_hertz\": 1e5"), "joints[0].axes.rx.motor_hertz", "to 10000"},
    {HINGE("\"position\": 0, \"motor_hertz\": 1, \"motor_damping_ratio\": -1"),
     "joints[0].axes.rx.motor_damping_ratio", "to 1000"},
    {HINGE("\"velocity\": 1, \"force_max\": -1"), "joints[0].axes.rx.force_max", "to 1e+15"},
    {HINGE("\"stiffness\": -1"), "joints[0].axes.rx.stiffness", "to 1e+15"},
    {HINGE("\"damping\": -1"), "joints[0].axes.rx.damping", "to 1e+15"},
    {HINGE("\"stiffness\": 1, \"rest\": 2e6"), "joints[0].axes.rx.rest", "-1e+06 to 1e+06"},
    {HINGE("\"friction\": -1"), "joints[0].axes.rx.friction", "to 1e+15"},

    /* Settings that do not go together. */
    {HINGE("\"min\": 1, \"max\": 1, \"velocity\": 0"), "joints[0].axes.rx.velocity", "locked"},
    {HINGE("\"min\": 1, \"max\": 1, \"position\": 0"), "joints[0].axes.rx.position", "locked"},
    {HINGE("\"min\": 1, \"max\": 1, \"stiffness\": 1"), "joints[0].axes.rx.stiffness", "locked"},
    {HINGE("\"min\": 1, \"max\": 1, \"damping\": 1"), "joints[0].axes.rx.damping", "locked"},
    {HINGE("\"min\": 1, \"max\": 1, \"friction\": 1"), "joints[0].axes.rx.friction", "locked"},
    {HINGE("\"stop_hertz\": 1"), "joints[0].axes.rx.stop_hertz", "without stops"},
    {HINGE("\"min\": 1, \"max\": 1, \"stop_hertz\": 1"), "joints[0].axes.rx.stop_hertz", "without stops"},
    {HINGE("\"stop_stiffness\": 1"), "joints[0].axes.rx.stop_stiffness", "without stops"},
    {HINGE("\"stop_restitution\": 1"), "joints[0].axes.rx.stop_restitution", "without stops"},
    {HINGE("\"max\": 1, \"stop_hertz\": 1, \"stop_stiffness\": 1"), "joints[0].axes.rx.stop_stiffness",
     "beside stop_hertz"},
    {HINGE("\"max\": 1, \"stop_hertz\": 1, \"stop_restitution\": 1"), "joints[0].axes.rx.stop_restitution",
     "soft stop"},
    {HINGE("\"max\": 1, \"stop_stiffness\": 1, \"stop_restitution\": 1"),
     "joints[0].axes.rx.stop_restitution", "soft stop"},
    {HINGE("\"max\": 1, \"stop_damping_ratio\": 1"), "joints[0].axes.rx.stop_damping_ratio",
     "without stop_hertz"},
    {HINGE("\"max\": 1, \"stop_damping\": 1"), "joints[0].axes.rx.stop_damping", "without stop_stiffness"},
    {HINGE("\"velocity\": 1, \"motor_hertz\": 1"), "joints[0].axes.rx.motor_hertz", "without a position"},
    {HINGE("\"position\": 1, \"motor_damping_ratio\": 0.5"), "joints[0].axes.rx.motor_damping_ratio",
     "without motor_hertz"},
    {HINGE("\"force_max\": 1"), "joints[0].axes.rx.force_max", "without a velocity or a position"},
    {HINGE("\"rest\": 1"), "joints[0].axes.rx.rest", "without stiffness"},
    {AXES("wheel", "\"ry\": {\"rest\": 1}"), "joints[0].axes.ry.rest", "without stiffness"},

    /* States of a generic joint's axes. */
    {GENERIC("\"state\": \"open\""), "joints[0].axes.x.state", "\"locked\" or \"limited\" or \"free\""},
    {GENERIC("\"state\": 1"), "joints[0].axes.x.state", "expected a string"},
    {GENERIC("\"state\": \"limited\""), "joints[0].axes.x.min", "min or max"},
    {GENERIC("\"state\": \"free\", \"min\": 0"), "joints[0].axes.x.min", "free axis"},
    {GENERIC("\"state\": \"free\", \"max\": 0"), "joints[0].axes.x.max", "free axis"},
    {GENERIC("\"state\": \"locked\", \"min\": 0"), "joints[0].axes.x.max", "equal min and max"},
    {GENERIC("\"state\": \"locked\", \"max\": 0"), "joints[0].axes.x.min", "equal min and max"},
    {GENERIC("\"state\": \"locked\", \"min\": 0, \"max\": 1"), "joints[0].axes.x.max", "equal min and max"},
    {GENERIC("\"stiffness\": 1"), "joints[0].axes.x.stiffness", "locked"},
};

static void test_joint_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_joint_errors / sizeof *bad_joint_errors; i++)
        assert_refused(bad_joint_errors[i].text, bad_joint_errors[i].place, bad_joint_errors[i].what);
}

/* The same builders without the fault are accepted, so that each refusal above is for its own reason. */
static void test_good_forms_are_accepted(void **state)
{
    (void)state;
    static const char *const good[] = {
        BODY(""),
        BODY(", \"orientation\": [0, 0, 0, 1.0009], \"mass\": 1e15, \"position\": [1e9, -1e9, 0]"),
        SHAPE("\"sphere\", \"radius\": 0.0001, \"density\": 0, \"friction\": 1000"),
        SHAPE("\"box\", \"half_extents\": [1, 1, 1]"),
        SHAPE("\"capsule\", \"radius\": 1, \"half_length\": 1"),
        STATIC_SHAPE("\"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0"),
        STATIC_SHAPE("\"box\", \"half_extents\": [1000000, 1e6, 1e6]"),
        JOINT("\"ball\", " ENDS ", " ANCHORS ", \"stiffness\": 1, \"damping\": 1, \"collide\": false"),
        JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length\": 0"),
        JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length_max\": 0"),
        JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length_min\": 1, \"stiffness\": 1, \"length\": 1"),
        JOINT("\"target\", \"body_b\": \"b\", \"anchor_b\": [0, 0, 0], \"target\": [0, 1e9, 0], "
              "\"force_max\": 0"),
        JOINT("\"cone-twist\", " ENDS ", " ANCHORS ", \"swing_max\": 3.14159265"),
        JOINT("\"fixed\", " WORLD ", " ANCHORS ", \"target\": [0, 0, 1e9], \"break_force\": 3.4028235e38"),
        JOINT("\"hinge\", \"body_a\": null, \"body_b\": \"a\", " ANCHORS), /* a static body */
        HINGE("\"min\": 1, \"max\": 1"),
        HINGE("\"max\": -1, \"stop_hertz\": 1e4, \"stop_damping_ratio\": 1000, \"friction\": 1e15"),
        HINGE("\"position\": 1e6, \"velocity\": 0, \"motor_hertz\": 1, \"force_max\": 0, \"damping\": 1"),
        AXES("wheel", ""),
        AXES("wheel", "\"ry\": {\"velocity\": 1}"),
        GENERIC("\"state\": \"locked\", \"min\": -1, \"max\": -1"),
        GENERIC("\"state\": \"limited\", \"max\": -1, \"stiffness\": 1, \"rest\": 1"),
        GENERIC("\"state\": \"free\", \"velocity\": 1"),
        SCENE(", \"bodies\": [], \"gravity\": [0, 0, -9.81], \"dt\": 1"),
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        dry_scene scene;
        write_scratch(good[i], strlen(good[i]));
        read_file(scratch, &scene);
        dry_scene_free(&scene);
    }
}

static void test_syntax_errors(void **state)
{
    (void)state;
    assert_refused("", "1:0", "expected near end of file");
    assert_refused("\n\n  nonsense", "3:10", "expected JSON");
    assert_refused("[]\n", NULL, "expected an object, got an array");
    assert_refused(SCENE(", \"bodies\": []") "\n}", "2:1", "end of file expected");
    assert_refused("{\"format\": \"drystone-scene\",\n \"version\": 1, \"version\": 1, \"bodies\": []}",
                   "2:24", "duplicate object key");
    assert_refused(SCENE(", \"bodies\": [\n{\"id\": \"a\", \"id\": \"a\"}]"), "2:16", "duplicate");
    assert_refused("{\"dt\":\n 1e999}", "2:6", "a finite number");
    assert_refused("{\"dt\":\n -1e999}", "2:7", "a finite number");
    assert_refused("{\"dt\":\n NaN}", "2:4", "expected JSON");
    assert_refused("{\"dt\":\n Infinity}", "2:9", "expected JSON");
    assert_refused(SCENE(", \"bodies\": [], \"name\": \"a\nb\""), "1:67", "expected JSON");
    assert_refused("{\"a\": \"\xff\"}", "1:7", "unable to decode byte 0xff");

    enum { DEPTH = 200000 };
    char *deep = malloc(DEPTH + 1);
    assert_non_null(deep);
    memset(deep, '[', DEPTH);
    deep[DEPTH] = '\0';
    assert_refused(deep, "1:2049", "depth");
    free(deep);
}

static void test_file_errors(void **state)
{
    (void)state;
    dry_scene scene;
    char error[512];
    assert_false(dry_scene_read("/nonexistent/scene.json", &scene, error, sizeof error));
    assert_int_equal(strncmp(error, "/nonexistent/scene.json: ", 25), 0);
    assert_false(dry_scene_read("/", &scene, error, sizeof error));
    assert_string_equal(error, "/: expected a scene file, got a directory");
    assert_false(dry_scene_read("/dev/null", &scene, error, sizeof error));
    assert_false(dry_scene_read("/nonexistent", &scene, NULL, 0));
    char tiny[8];
    assert_false(dry_scene_read("/nonexistent", &scene, tiny, sizeof tiny));
    assert_string_equal(tiny, "/nonexi");
}

/* Truncated and mutated files: refused with one line, or read whole; never anything else. */
static void read_whatever(const char *bytes, size_t count)
{
    char error[512] = "";
    dry_scene scene;
    write_scratch(bytes, count);
    if (dry_scene_read(scratch, &scene, error, sizeof error)) {
        assert_non_null(scene.name);
    } else {
        assert_int_equal(strncmp(error, scratch, strlen(scratch)), 0);
        assert_null(strchr(error, '\n'));
    }
    dry_scene_free(&scene);
}

/* Replaces the first file of a shape, which does not lie beside the damaged scenes, by its data. */
static size_t put_data_in(char *bytes, size_t count, const char *data)
{
    static const char file[] = "\"file\": \"block.obj\"";
    const size_t old = sizeof file - 1, now = strlen(data);
    bytes[count] = '\0';
    char *at = strstr(bytes, file);
    assert_non_null(at);
    memmove(at + now, at + old, (size_t)(bytes + count - (at + old)));
    memcpy(at, data, now);
    return count + now - old;
}

static void test_damaged_files(void **state)
{
    (void)state;
    char path[FILE_NAME_BYTES], bytes[16384], damaged[16384];
    data_path("every_field.json", path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, sizeof bytes / 2, file);
    fclose(file);
    assert_true(count > 500 && count < sizeof bytes / 2);
    count = put_data_in(bytes, count, "\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]");
    count = put_data_in(bytes, count,
                        "\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], \"triangles\": [[0, 1, 2]]");

    size_t end = count;
    while (bytes[end - 1] != '}')
        end--;
    for (size_t cut = 0; cut < end; cut++) {
        dry_scene scene;
        char error[512];
        write_scratch(bytes, cut);
        assert_false(dry_scene_read(scratch, &scene, error, sizeof error));
    }
    uint64_t random = 1;
    static const char likely[] = "{}[]\",:0123456789-+.eE\\ntfu\0\xc3\xff";
    for (int run = 0; run < 2000; run++) {
        memcpy(damaged, bytes, count);
        for (int change = 0; change <= run % 3; change++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 40) % count;
            damaged[at] = likely[(random >> 33) % (sizeof likely - 1)];
        }
        read_whatever(damaged, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_errors),
        cmocka_unit_test(test_joint_errors),
        cmocka_unit_test(test_good_forms_are_accepted),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_file_errors),
        cmocka_unit_test(test_damaged_files),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}

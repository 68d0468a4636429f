// Runs a Drystone scene on another engine and reports in the form of `drystone stress --report`, so that one
// script can compare the two. The time is that of the engine's own step, collision included.
//
//   peers --engine bullet|ode --scene NAME|FILE.json [--size N] [--steps N] [--warmup N] [--dt S]
//         [--final FILE.csv] [--report FILE|-]
#include "perf/peer.h"
#include "tools/scenes/measure/quality.h"
#include "tools/scenes/measure/resident.h"

#include <jansson.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace
{

struct Options {
    std::string engine, scene = "pyramid", final_path, report_path;
    int size = 0, steps = 600, warmup = 10;
    double dt = 0; // s; 0 takes the scene's
};

[[noreturn]] void bad_usage(const std::string &what)
{
    throw std::invalid_argument(what);
}

template <typename Number>
Number parse_number(const char *option, const char *text, double least, double most)
{
    char *end = nullptr;
    const double value = std::strtod(text, &end);
    const auto number = static_cast<Number>(std::clamp(value, least, most));
    if (end == text || *end || !(value >= least && value <= most) || static_cast<double>(number) != value)
        bad_usage(std::string(option) + ": expected a number from " + std::to_string(least) + " to " +
                  std::to_string(most) + ", got " + text);
    return number;
}

Options parse_options(int count, char **arguments)
{
    Options o;
    for (int i = 1; i < count; i += 2) {
        const std::string option = arguments[i];
        if (i + 1 == count)
            bad_usage(option + " needs a value");
        const char *value = arguments[i + 1];
        if (option == "--engine")
            o.engine = value;
        else if (option == "--scene")
            o.scene = value;
        else if (option == "--size")
            o.size = parse_number<int>("--size", value, 0, 1 << 24);
        else if (option == "--steps")
            o.steps = parse_number<int>("--steps", value, 1, 1e9);
        else if (option == "--warmup")
            o.warmup = parse_number<int>("--warmup", value, 0, 1e9);
        else if (option == "--dt")
            o.dt = parse_number<double>("--dt", value, 1e-6, 1);
        else if (option == "--final")
            o.final_path = value;
        else if (option == "--report")
            o.report_path = value;
        else
            bad_usage("unknown option " + option);
    }
    return o;
}

// A scene whose destructor frees it.
struct Scene : dry_scene {
    explicit Scene(const Options &o) : dry_scene()
    {
        char error[512];
        const bool is_file = o.scene.size() > 5 && o.scene.compare(o.scene.size() - 5, 5, ".json") == 0;
        if (!(is_file ? dry_scene_read(o.scene.c_str(), this, error, sizeof error)
                      : dry_scene_make(o.scene.c_str(), o.size, this, error, sizeof error)))
            throw std::invalid_argument(error);
    }
    ~Scene()
    {
        dry_scene_free(this);
    }
    Scene(const Scene &) = delete;
    Scene &operator=(const Scene &) = delete;
};

std::unique_ptr<Peer> make_peer(const std::string &engine, const dry_scene &scene)
{
#ifdef HAVE_BULLET
    if (engine == "bullet")
        return make_bullet(scene);
#endif
#ifdef HAVE_ODE
    if (engine == "ode")
        return make_ode(scene);
#endif
    bad_usage("--engine: \"" + engine +
              "\" is not one of those built in:"
#ifdef HAVE_BULLET
              " bullet"
#endif
#ifdef HAVE_ODE
              " ode"
#endif
    );
}

// Returns a quantile by nearest rank; the median is the mean of the two middle values.
double quantile(const std::vector<double> &sorted, double share)
{
    const size_t n = sorted.size();
    if (n == 0)
        return 0;
    if (share == 0.5)
        return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(n)));
    return sorted[std::clamp<size_t>(rank, 1, n) - 1];
}

// Writes null for infinity and NaN, which JSON lacks and a collapsed run may have.
json_t *json_number_of(double value)
{
    return std::isfinite(value) ? json_real(value) : json_null();
}

struct Memory {
    json_int_t peak_rss_bytes; // of the process; includes reading the scene
    json_int_t engine_bytes;   // by tools/scenes/measure/resident.h; 0 if not known
};

json_t *make_report(const Options &o, const dry_scene &scene, const Peer &peer, double dt,
                    std::vector<double> step_ms, const Memory &memory, const dry_quality &q)
{
    std::sort(step_ms.begin(), step_ms.end());
    const double mean = step_ms.empty() ? 0
                                        : std::accumulate(step_ms.begin(), step_ms.end(), 0.0) /
                                              static_cast<double>(step_ms.size());
    const auto dynamic = std::count_if(scene.bodies, scene.bodies + scene.body_count,
                                       [](const auto &body) { return body.def.type == DRY_BODY_DYNAMIC; });
    return json_pack(
        "{s:s, s:s, s:s, s:i, s:I, s:i, s:i, s:o, s:i, s:{s:o, s:o, s:o, s:o, s:o},"
        " s:{s:I, s:o}, s:{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:i}}",
        "engine", o.engine.c_str(), "settings", peer.describe().c_str(), "scene", scene.name, "bodies",
        scene.body_count, "dynamic_bodies", static_cast<json_int_t>(dynamic), "steps", o.steps, "warmup",
        o.warmup, "dt", json_number_of(dt), "threads", 1, "step_ms", "median",
        json_number_of(quantile(step_ms, 0.5)), "mean", json_number_of(mean), "min",
        json_number_of(quantile(step_ms, 0)), "max", json_number_of(quantile(step_ms, 1)), "p99",
        json_number_of(quantile(step_ms, 0.99)), "memory", "peak_rss_bytes", memory.peak_rss_bytes,
        "engine_bytes", memory.engine_bytes > 0 ? json_integer(memory.engine_bytes) : json_null(), "quality",
        "penetration_max_m", json_number_of(q.penetration_max_m), "penetration_mean_m",
        json_number_of(q.penetration_mean_m), "touching_pairs", q.touching_pairs, "speed_max_m_s",
        json_number_of(q.speed_max_m_s), "kinetic_energy_J", json_number_of(q.kinetic_energy_J),
        "moved_max_m", json_number_of(q.moved_max_m), "moved_sideways_max_m",
        json_number_of(q.moved_sideways_max_m), "moved_over_0.25m", q.moved_over_quarter_m);
}

// A file whose destructor closes it; a failed write is an error.
class Output
{
  public:
    explicit Output(const std::string &file_path)
        : path(file_path), stream(file_path == "-" ? stdout : std::fopen(file_path.c_str(), "w"))
    {
        if (!stream)
            throw std::runtime_error(path + ": " + std::strerror(errno));
    }
    ~Output()
    {
        if (stream && stream != stdout)
            std::fclose(stream);
    }
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    void finish()
    {
        bool failed = std::ferror(stream) != 0 || std::fflush(stream) != 0;
        if (stream != stdout)
            failed = std::fclose(stream) != 0 || failed;
        stream = nullptr;
        if (failed)
            throw std::runtime_error(path + ": could not be written");
    }

    const std::string path;
    FILE *stream;
};

void write_final(const std::string &path, const dry_scene &scene, const std::vector<dry_pose> &poses,
                 const std::vector<dry_velocity> &velocities)
{
    Output out(path);
    std::fputs("id,px,py,pz,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,awake\n", out.stream);
    for (size_t i = 0; i < poses.size(); ++i) {
        const dry_position &p = poses[i].position;
        const dry_quat &q = poses[i].orientation;
        const dry_vec3 &v = velocities[i].linear, &w = velocities[i].angular;
        std::fprintf(out.stream,
                     "%s,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\n",
                     scene.bodies[i].id, p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z,
                     scene.bodies[i].def.type != DRY_BODY_STATIC);
    }
    out.finish();
}

void run_engine(const Options &o)
{
    const Scene scene(o);
    const double dt = o.dt > 0 ? o.dt : scene.dt;
    const size_t resident_before = dry_resident_bytes();
    const std::unique_ptr<Peer> peer = make_peer(o.engine, scene);

    using clock = std::chrono::steady_clock;
    std::vector<double> step_ms;
    for (int step = 0; step < o.steps; ++step) {
        const auto begin = clock::now();
        peer->step(dt);
        const std::chrono::duration<double, std::milli> took = clock::now() - begin;
        if (step >= o.warmup)
            step_ms.push_back(took.count());
    }
    // Read before the measurement takes memory that is not the run's.
    const auto engine_bytes = static_cast<json_int_t>(dry_resident_since(resident_before));
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const Memory memory = {static_cast<json_int_t>(usage.ru_maxrss) * 1024, engine_bytes}; // KiB on Linux

    std::vector<dry_pose> poses(static_cast<size_t>(scene.body_count));
    std::vector<dry_velocity> velocities(poses.size());
    for (int i = 0; i < scene.body_count; ++i)
        peer->read(i, poses[static_cast<size_t>(i)], velocities[static_cast<size_t>(i)]);
    dry_quality quality{};
    if (!dry_quality_measure_poses(&scene, poses.data(), velocities.data(), &quality))
        throw std::runtime_error("out of memory");
    if (!o.final_path.empty())
        write_final(o.final_path, scene, poses, velocities);

    const std::unique_ptr<json_t, decltype(&json_decref)> report(
        make_report(o, scene, *peer, dt, step_ms, memory, quality), json_decref);
    if (!report)
        throw std::runtime_error("out of memory");
    if (!o.report_path.empty()) {
        Output out(o.report_path);
        json_dumpf(report.get(), out.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(7));
        std::fputc('\n', out.stream);
        out.finish();
    }
    if (o.report_path != "-") {
        std::sort(step_ms.begin(), step_ms.end());
        std::printf("%s: %s, %d bodies, %d steps: median %.3f ms; deepest %.2f mm, mean %.2f mm, %d moved\n",
                    peer->describe().c_str(), scene.name, scene.body_count, o.steps, quantile(step_ms, 0.5),
                    1e3 * quality.penetration_max_m, 1e3 * quality.penetration_mean_m,
                    quality.moved_over_quarter_m);
    }
}

} // namespace

int main(int count, char **arguments)
{
    try {
        run_engine(parse_options(count, arguments));
    } catch (const std::invalid_argument &error) {
        std::fprintf(stderr, "peers: %s\n", error.what());
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "peers: %s\n", error.what());
        return 1;
    }
    return 0;
}

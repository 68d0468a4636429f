// Direct joints beside ODE's two solvers, in one process and in turns: for each scene and each solver the
// largest distance of two anchors of a joint, the energy gained, and times.
//
//   articulations_ode [SCENE SIZE [SECONDS [LOAD]]]     without arguments: a list of some minutes
//
// LOAD adds so many times the mass of the scene to its body "frame". A turn is a frame of FRAME seconds, in
// which a solver takes one step or several. ODE's dWorldStep has ERP 0.2 or 0, its QuickStep 500 iterations
// and ERP 0.1 [Tomcin 7]. Times are processor times of one thread, collision included: the median of all
// steps and that of the last quarter. A solver that has used its budget ends early; the column "s" says how
// far it came.
#include "perf/peer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

constexpr double frame_s = 0.016;

struct Trial {
    const char *scene;
    int size;
    double seconds, load;
};

const Trial trials[] = {
    {"chain", 10, 5, 0},         {"chain", 30, 5, 0},         {"chain", 100, 5, 0},
    {"chain", 300, 1, 0},        {"lever", 7500, 10, 0},      {"strandbeest", 2, 1.5, 0},
    {"strandbeest", 4, 1.5, 0},  {"strandbeest", 10, 1, 0},   {"strandbeest", 4, 1.5, 100},
    {"strandbeest", 20, 0.7, 0}, {"strandbeest", 50, 0.4, 0},
};

void require(dry_result result)
{
    if (result != DRY_OK)
        throw std::runtime_error(dry_result_name(result));
}

// A solver on a scene.
class Solver
{
  public:
    Solver(std::string title, int steps_a_frame) : name(std::move(title)), steps(steps_a_frame)
    {
    }
    virtual ~Solver() = default;
    virtual void step(double dt) = 0;
    virtual double joint_error() = 0;
    virtual double energy() = 0;

    std::string name;
    int steps; // in a frame
    double budget_ms = 40e3;
    std::vector<double> ms;
    double first_J = 0, last_J = 0, largest_J = 0, error_m = 0, used_ms = 0;
};

class Drystone final : public Solver
{
  public:
    Drystone(const dry_scene &scene, const std::string &title, dry_joint_solver solver, int steps_a_frame)
        : Solver(title, steps_a_frame)
    {
        dry_world_def def = dry_default_world_def();
        def.settings.gravity = scene.gravity;
        def.settings.joint_solver = solver;
        def.settings.sleep = false;
        def.threads = 1;
        def.log.write = [](const char *, void *) {};
        require(dry_world_create(&def, &world));
        std::vector<dry_body_id> bodies(static_cast<size_t>(scene.body_count));
        require(dry_scene_build(&scene, world, bodies.data()));
        for (dry_body_id body : bodies) {
            std::vector<dry_joint_id> found(static_cast<size_t>(scene.joint_count));
            int count = 0;
            require(dry_body_get_joints(world, body, found.data(), scene.joint_count, &count));
            joints.insert(joints.end(), found.begin(), found.begin() + count);
        }
    }
    ~Drystone() override
    {
        dry_world_destroy(world);
    }
    void step(double dt) override
    {
        require(dry_world_step(world, static_cast<float>(dt)));
    }
    double joint_error() override
    {
        double largest = 0;
        for (dry_joint_id joint : joints) {
            float m, rad;
            if (dry_joint_get_error(world, joint, &m, &rad) == DRY_OK)
                largest = std::max(largest, static_cast<double>(m));
        }
        return largest;
    }
    double energy() override
    {
        return dry_world_energy(world).total_J;
    }

  private:
    dry_world *world = nullptr;
    std::vector<dry_joint_id> joints;
};

class Ode final : public Solver
{
  public:
    Ode(const dry_scene &scene, const std::string &title, const OdeOptions &options, int steps_a_frame)
        : Solver(title, steps_a_frame), peer(make_ode_with(scene, options))
    {
    }
    void step(double dt) override
    {
        peer->step(dt);
    }
    double joint_error() override
    {
        return peer->joint_error();
    }
    double energy() override
    {
        return peer->energy();
    }

  private:
    std::unique_ptr<JointedPeer> peer;
};

double processor_ms()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Takes a solver's steps of a frame.
void take_frame(Solver &s)
{
    for (int i = 0; i < s.steps && s.used_ms < s.budget_ms; ++i) {
        const double began = processor_ms();
        s.step(frame_s / s.steps);
        s.ms.push_back(processor_ms() - began);
        s.used_ms += s.ms.back();
        s.error_m = std::max(s.error_m, s.joint_error());
        s.last_J = s.energy();
        s.largest_J = std::max(s.largest_J, s.last_J);
    }
}

void print(const Trial &trial, const Solver &s)
{
    const auto middle_of = [&s](size_t from) {
        std::vector<double> sorted(s.ms.begin() + static_cast<std::ptrdiff_t>(from), s.ms.end());
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    };
    const double middle = middle_of(0), last = middle_of(s.ms.size() * 3 / 4);
    std::printf("| %s %d", trial.scene, trial.size);
    if (trial.load > 0)
        std::printf(", load %g", trial.load);
    std::printf(" | %s | %g | %.3g | %.2g | %.3g | %.3g | %.3g | %.3g | %.3g |\n", s.name.c_str(),
                1e3 * frame_s / s.steps, static_cast<double>(s.ms.size()) * frame_s / s.steps, s.error_m,
                s.last_J - s.first_J, s.largest_J - s.first_J, middle, last, middle * s.steps);
}

void measure(const Trial &trial)
{
    dry_scene scene = {};
    char error[300];
    if (!dry_scene_make(trial.scene, trial.size, &scene, error, sizeof error))
        throw std::runtime_error(error);
    if (trial.load > 0 && !dry_scene_add_load(&scene, "frame", trial.load))
        throw std::runtime_error("no frame for a load");
    OdeOptions corrected, free, quick;
    corrected.direct = free.direct = true;
    free.erp = 0;
    quick.iterations = 500;
    quick.erp = 0.1;
    const int fine = 8; // steps of 2 ms
    std::vector<std::unique_ptr<Solver>> solvers;
    solvers.push_back(std::make_unique<Drystone>(scene, "direct", DRY_JOINT_SOLVER_DIRECT, 1));
    solvers.push_back(std::make_unique<Drystone>(scene, "direct", DRY_JOINT_SOLVER_DIRECT, fine));
    solvers.push_back(std::make_unique<Ode>(scene, "dWorldStep, ERP 0.2", corrected, fine));
    solvers.push_back(std::make_unique<Ode>(scene, "dWorldStep, ERP 0", free, fine));
    solvers.push_back(std::make_unique<Ode>(scene, "QuickStep 500, ERP 0.1", quick, fine));
    solvers[2]->budget_ms = 300e3; // so that fifty legs touch the floor
    for (auto &s : solvers)
        s->first_J = s->last_J = s->largest_J = s->energy();
    const int frames = std::max(1, static_cast<int>(trial.seconds / frame_s + 0.5));
    for (int i = 0; i < frames; ++i)
        for (auto &s : solvers)
            take_frame(*s);
    for (auto &s : solvers)
        print(trial, *s);
    std::fflush(stdout);
    solvers.clear();
    dry_scene_free(&scene);
}

} // namespace

int main(int argc, char **argv)
try {
    dry_methods_register();
    std::printf("| scene | solver | h ms | s | error m | gained J, at the end | largest | ms a step | at the "
                "end | ms for 16 ms "
                "|\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    const Trial one = {argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 0,
                       argc > 3 ? std::atof(argv[3]) : 1.0, argc > 4 ? std::atof(argv[4]) : 0.0};
    if (argc > 1)
        measure(one);
    for (const Trial &trial : trials)
        if (argc == 1)
            measure(trial);
    return 0;
} catch (const std::exception &failed) {
    std::fprintf(stderr, "articulations_ode: %s\n", failed.what());
    return 2;
}

package dev.couchjobs.bridge.internal.document;

import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * One step of a job. Immutable: each transition returns the job after it, or the reason why it is not allowed.
 *
 * @param job the job
 * @param index the index of the step, from 0
 */
public record Step(JobDocument job, int index) {

    /** {@return the plan of the step} */
    public StepPlan plan() {
        return job.plan().steps().get(index);
    }

    /** {@return the progress of the step} */
    public StepProgress progress() {
        return job.progress().steps().get(index);
    }

    /** {@return the status of the step; empty if it has not begun} */
    public Optional<StepRun.Status> status() {
        return progress().status(plan().target());
    }

    /**
     * {@return whether the step has ended on a node} A step that one node runs has then ended on all, since a join
     * keeps one of two ends.
     *
     * @param node the node
     */
    public boolean hasEndedOn(String node) {
        return plan().target() instanceof Target.All
                ? progress().run(node).filter(run -> !run.isRunning()).isPresent()
                : status().filter(status -> status != StepRun.Status.RUNNING).isPresent();
    }

    /** {@return the round in which the step can be claimed, is claimed, or has begun} */
    public int round() {
        return progress().withdrawn();
    }

    /** {@return whether claims and the creator node decide which node runs the step} */
    public boolean isClaimable() {
        return plan().target() instanceof Target.Any || plan().target() instanceof Target.OneOf;
    }

    /** {@return the next step, if there is one} */
    public Optional<Step> next() {
        return index + 1 < job.plan().steps().size() ? Optional.of(job.step(index + 1)) : Optional.empty();
    }

    /** A node claims the step: the current one, or the one after it if that runs on a single node. */
    public Transition claim(String node) {
        if (!isClaimable()) {
            return refused("its target names the nodes that run it");
        }
        if (progress().claimedBy().isPresent()) {
            return refused("it is claimed already");
        }
        return openTo(node).orElseGet(() -> to(progress().claimedBy(node)));
    }

    /** The creator node names the winner: the node that claims the step. */
    public Transition assignWinner(String node) {
        if (!progress().claimedBy().equals(Optional.of(node))
                || progress().winner().isPresent()) {
            return refused(node + " does not claim it, or a node has won it");
        }
        return openTo(node).orElseGet(() -> to(progress().withWinner(node)));
    }

    /** The creator node withdraws a claim that was not used in time, and with it the round. */
    public Transition withdraw() {
        if (progress().hasBegun() || progress().claimedBy().isEmpty()) {
            return refused("it has begun, or no node claims it");
        }
        return notCurrent().orElseGet(() -> to(progress().nextRound()));
    }

    /**
     * A node begins the step: the winner, or a node that the target names. A node may begin its own step again after
     * the loss of its process.
     *
     * @param node the node
     * @param executioner what runs the step; see {@link #executioner}
     * @param now the time of the node's clock, in its time zone
     * @param round the round in which the node has got the step
     */
    public Transition begin(String node, String executioner, ZonedDateTime now, int round) {
        if (round != progress().withdrawn()) {
            return refused("this is round " + progress().withdrawn() + " and not " + round);
        }
        if (isClaimable() && !progress().winner().equals(Optional.of(node))) {
            return refused(node + " has not won it");
        }
        return allowed(node).orElseGet(() -> to(begun(node, executioner, now)));
    }

    /**
     * A node begins the step without being the winner, because it holds the only job of the step. A run on another node
     * counts as lost.
     *
     * @param node the node
     * @param executioner what runs the step
     * @param now the time of the node's clock, in its time zone
     */
    public Transition take(String node, String executioner, ZonedDateTime now) {
        return allowed(node).orElseGet(() -> to(begun(node, executioner, now)));
    }

    /** Counts a failed try, which another try or the alternative follows. */
    public Transition tried(String node) {
        return running(node)
                .map(run -> job.isEnded() ? refused("the job has ended") : to(with(node, run.tried())))
                .orElseGet(() -> refused("it does not run on " + node));
    }

    /**
     * The step ends on a node, also after its job was given up, so that people see the result.
     *
     * @param node the node
     * @param now the time of the node's clock, in its time zone
     * @param hasSucceeded whether the step has succeeded
     * @param end the result; output and reason are shortened to their limits
     */
    public Transition end(String node, ZonedDateTime now, boolean hasSucceeded, StepRunEnd end) {
        StepRun.Status status = hasSucceeded ? StepRun.Status.FINISHED : StepRun.Status.FAILED;
        StepRunEnd within = end.within(DocumentLimits.outputBytes(job.plan().runs()));
        return running(node)
                .map(run -> to(with(node, run.ended(status, now, within))))
                .orElseGet(() -> refused("it does not run on " + node));
    }

    /** {@return the thesis's text for what runs a step} */
    public static String executioner(String node, String worker) {
        return "Node: " + node + ", worker: " + worker;
    }

    private StepProgress begun(String node, String executioner, ZonedDateTime now) {
        Optional<StepRun> own = progress().run(node);
        if (own.isPresent()) {
            return with(node, own.get().again(executioner));
        }
        boolean isTakenOver = progress().hasBegun() && !(plan().target() instanceof Target.All);
        return with(
                node,
                isTakenOver
                        ? progress().runs().values().iterator().next().again(executioner)
                        : StepRun.beginning(executioner, now));
    }

    private StepProgress with(String node, StepRun run) {
        return plan().target() instanceof Target.All
                ? progress().with(node, run)
                : progress().runBy(node, run);
    }

    private Optional<StepRun> running(String node) {
        return progress().run(node).filter(StepRun::isRunning);
    }

    /** {@return why the node must not begin the step, by its end and its target; empty if it may} */
    private Optional<Transition> allowed(String node) {
        if (hasEndedOn(node)) {
            return Optional.of(refused("it has ended"));
        }
        return notCurrent().or(() -> stranger(node));
    }

    /** {@return why the node must not claim the step; empty if it may} */
    private Optional<Transition> openTo(String node) {
        if (progress().hasBegun()) {
            return Optional.of(refused("it has begun"));
        }
        return notInReach().or(() -> stranger(node));
    }

    private Optional<Transition> stranger(String node) {
        return plan().target().includes(node)
                ? Optional.empty()
                : Optional.of(refused(node + " is not among its targets"));
    }

    private Optional<Transition> notCurrent() {
        if (job.isEnded()) {
            return Optional.of(refused("the job has ended"));
        }
        return job.currentStep() == index ? Optional.empty() : Optional.of(refused("it is not the current step"));
    }

    /**
     * {@return why the step cannot be claimed now; empty if it is the current one, or the next one of a step that runs}
     */
    private Optional<Transition> notInReach() {
        int before = job.currentStep();
        boolean isNext = !job.isEnded()
                && index == before + 1
                && job.step(before).progress().hasBegun()
                && !(job.step(before).plan().target() instanceof Target.All);
        return isNext ? Optional.empty() : notCurrent();
    }

    private Transition to(StepProgress progress) {
        return new Transition.To(job.withStep(index, progress));
    }

    private Transition refused(String reason) {
        return new Transition.Refused("job[" + index + "]: " + reason);
    }
}

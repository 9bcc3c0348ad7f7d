package dev.couchjobs.bridge.internal.document;

import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * One step of a job, to look at and to take further. All that takes it further answers with the whole job after it, or
 * says why it is not allowed; nothing here changes.
 *
 * @param job the job
 * @param index which step, from 0
 */
public record Step(JobDocument job, int index) {

    /** {@return what is to be done} */
    public StepPlan plan() {
        return job.plan().steps().get(index);
    }

    /** {@return how far it is} */
    public StepProgress progress() {
        return job.progress().steps().get(index);
    }

    /** {@return how it stands; empty if it has not begun} */
    public Optional<StepRun.Status> status() {
        return progress().status(plan().target());
    }

    /**
     * {@return whether it has ended on a node; if one node runs it, on any, since the join of two ends keeps one of
     * them}
     *
     * @param node which
     */
    public boolean hasEndedOn(String node) {
        return plan().target() instanceof Target.All
                ? progress().run(node).filter(run -> !run.isRunning()).isPresent()
                : status().filter(status -> status != StepRun.Status.RUNNING).isPresent();
    }

    /** {@return in which round it may be claimed, or is, or was begun} */
    public int round() {
        return progress().withdrawn();
    }

    /** {@return whether who is to run it is found by a claim and the creator's word} */
    public boolean isClaimable() {
        return plan().target() instanceof Target.Any || plan().target() instanceof Target.OneOf;
    }

    /** {@return the step after this one, if there is one} */
    public Optional<Step> next() {
        return index + 1 < job.plan().steps().size() ? Optional.of(job.step(index + 1)) : Optional.empty();
    }

    /**
     * A node says that it would run the step: the current one, or the next if that one runs on a single node already.
     */
    public Transition claim(String node) {
        if (!isClaimable()) {
            return refused("its target says who runs it");
        }
        if (progress().claimedBy().isPresent()) {
            return refused("it is claimed already");
        }
        return openTo(node).orElseGet(() -> to(progress().claimedBy(node)));
    }

    /** The creator names the node that runs the step: the one that claims it. */
    public Transition assignWinner(String node) {
        if (!progress().claimedBy().equals(Optional.of(node))
                || progress().winner().isPresent()) {
            return refused(node + " does not claim it, or a node has won it");
        }
        return openTo(node).orElseGet(() -> to(progress().withWinner(node)));
    }

    /** The creator gives up a claim whose node has gone silent, and with it the round. */
    public Transition withdraw() {
        if (progress().hasBegun() || progress().claimedBy().isEmpty()) {
            return refused("it has begun, or no node claims it");
        }
        return notCurrent().orElseGet(() -> to(progress().nextRound()));
    }

    /**
     * A node begins the step: the winner, or one that the target names; or it begins once more what it had begun,
     * because the process that did so is gone.
     *
     * @param node which
     * @param executioner who runs it there; see {@link #executioner}
     * @param now by the clock and in the zone of the node
     * @param round the round in which the node was given the step
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
     * A node begins the step without having been named: for a node that knows otherwise that no other runs it or will,
     * because it holds the only job there is for it. If another node had begun the step, that run is taken for lost.
     *
     * @param node which
     * @param executioner who runs it there
     * @param now by the clock and in the zone of the node
     */
    public Transition take(String node, String executioner, ZonedDateTime now) {
        return allowed(node).orElseGet(() -> to(begun(node, executioner, now)));
    }

    /** A try has failed, and there will be another, or the alternative. */
    public Transition tried(String node) {
        return running(node)
                .map(run -> job.isEnded() ? refused("the job has ended") : to(with(node, run.tried())))
                .orElseGet(() -> refused("it does not run on " + node));
    }

    /**
     * The step has ended on a node; also allowed when the job has been given up meanwhile, for people want to know what
     * came of it.
     *
     * @param node which
     * @param now by the clock and in the zone of the node
     * @param hasSucceeded whether it has succeeded
     * @param end what came of it; too long an output or reason is cut
     */
    public Transition end(String node, ZonedDateTime now, boolean hasSucceeded, StepRunEnd end) {
        StepRun.Status status = hasSucceeded ? StepRun.Status.FINISHED : StepRun.Status.FAILED;
        StepRunEnd within = end.within(DocumentLimits.outputBytes(job.plan().runs()));
        return running(node)
                .map(run -> to(with(node, run.ended(status, now, within))))
                .orElseGet(() -> refused("it does not run on " + node));
    }

    /** {@return how the thesis writes who runs a step} */
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

    /** Empty if the node may begin the step, as far as the step's end and its target go. */
    private Optional<Transition> allowed(String node) {
        if (hasEndedOn(node)) {
            return Optional.of(refused("it has ended"));
        }
        return notCurrent().or(() -> stranger(node));
    }

    /** Empty if the node may still come to run the step. */
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

    /** Empty if the step is the current one, or may be spoken for while that one runs. */
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

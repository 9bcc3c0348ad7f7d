package dev.couchjobs.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.worker.WorkerStateMachine.Phase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All histories of so many events, of a worker with few slots and two types: each job ends once, no slot is lost, a job
 * that can begin has a thread, a type that can claim is told so, and a worker that is closed ends.
 */
class WorkerHistoriesTest {
    /** What can happen next to a worker. Which of it can happen depends on the history. */
    private enum Event {
        CLAIM,
        CLAIM_OTHER_TYPE,
        ONE_JOB_ARRIVES,
        ALL_JOBS_ARRIVE,
        NO_JOB_ARRIVES,
        THREAD_STARTS,
        EXECUTOR_REFUSES,
        EXECUTOR_IS_ASKED_AGAIN,
        HANDLER_RETURNS,
        HANDLER_ENDS_ITS_JOB,
        TIME_LIMIT,
        CLAIM_IS_LOST,
        STARVATION_CHECK,
        ROUND_OF_HEARTBEATS,
        ONE_SLOT_MORE,
        ONE_SLOT_LESS,
        PAUSE,
        RESUME,
        DRAIN,
        CLOSE,
        TIME_IS_UP
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void keepTheLaws(int slots) {
        explore(slots, new ArrayDeque<>(), 5);
    }

    private static void explore(int slots, Deque<Event> history, int further) {
        History played = new History(slots);
        history.descendingIterator().forEachRemaining(played::happens);
        if (further == 0) {
            played.end();
            return;
        }
        for (Event event : Event.values()) {
            if (played.canHappen(event)) {
                history.push(event);
                explore(slots, history, further - 1);
                history.pop();
            }
        }
    }

    /** One history, played from the start. */
    private static final class History {
        private static final Disposition SUCCESS = new Disposition.Succeeded(Optional.empty());

        /** What happens without anybody's doing, when there are no more jobs to claim. */
        private static final List<Event> GOING_ON = List.of(
                Event.NO_JOB_ARRIVES, Event.THREAD_STARTS, Event.HANDLER_RETURNS, Event.CLAIM, Event.CLAIM_OTHER_TYPE);

        private final WorkerWorld world;
        private final List<Event> events = new ArrayList<>();

        /** By type: the types that were told to claim, and how many jobs each claim under way may take. */
        private final Set<Integer> toldToClaim = new HashSet<>();

        private final Map<Integer, Integer> claims = new HashMap<>();
        /** The types that have got no slot, and were not told to claim since. */
        private final Set<Integer> deferred = new HashSet<>();

        private int tasks;
        /** Whether the executor has refused the last task, and was not asked again. */
        private boolean isRefused;

        private final Set<String> held = new LinkedHashSet<>();
        private final Set<String> running = new LinkedHashSet<>();
        private final Set<String> withoutEnd = new HashSet<>();
        private int slots;
        private int endings;
        private boolean mustClose;

        History(int slots) {
            this.slots = slots;
            world = new WorkerWorld(slots, 2);
            world.order(Phase.RUNNING);
            perform();
        }

        boolean canHappen(Event event) {
            return switch (event) {
                case CLAIM -> toldToClaim.contains(0) && !claims.containsKey(0);
                case CLAIM_OTHER_TYPE -> toldToClaim.contains(1) && !claims.containsKey(1);
                case ONE_JOB_ARRIVES, ALL_JOBS_ARRIVE, NO_JOB_ARRIVES -> !claims.isEmpty();
                case THREAD_STARTS, EXECUTOR_REFUSES -> tasks > 0;
                case HANDLER_RETURNS, HANDLER_ENDS_ITS_JOB, TIME_LIMIT -> !running.isEmpty();
                case CLAIM_IS_LOST -> held.stream().anyMatch(this::isUndecided);
                case ROUND_OF_HEARTBEATS -> !held.isEmpty();
                case ONE_SLOT_LESS -> slots > 1;
                case EXECUTOR_IS_ASKED_AGAIN, STARVATION_CHECK, ONE_SLOT_MORE, PAUSE, RESUME, DRAIN, CLOSE -> true;
                case TIME_IS_UP -> world.machine().phase() == Phase.CLOSING;
            };
        }

        private boolean isUndecided(String run) {
            return !world.run(run).isDecided();
        }

        void happens(Event event) {
            events.add(event);
            switch (event) {
                case CLAIM -> claim(0);
                case CLAIM_OTHER_TYPE -> claim(1);
                case ONE_JOB_ARRIVES -> arrive(1);
                case ALL_JOBS_ARRIVE -> arrive(Integer.MAX_VALUE);
                case NO_JOB_ARRIVES -> arrive(0);
                case THREAD_STARTS -> {
                    tasks--;
                    isRefused = false;
                    begun(world.threadStarts());
                }
                case EXECUTOR_REFUSES -> {
                    tasks--;
                    isRefused = true;
                    assertThat(world.machine().executorRefused()).isPositive();
                }
                case EXECUTOR_IS_ASKED_AGAIN -> {
                    isRefused = false;
                    world.machine().askExecutorAgain();
                }
                case HANDLER_RETURNS -> handlerReturns(running.iterator().next());
                case HANDLER_ENDS_ITS_JOB -> {
                    String run = running.iterator().next();
                    if (isUndecided(run)) {
                        withoutEnd.add(run);
                    }
                    world.machine().endedByHandler(world.run(run));
                }
                case TIME_LIMIT -> world.stop(running.iterator().next());
                case CLAIM_IS_LOST -> {
                    String run =
                            held.stream().filter(this::isUndecided).findFirst().orElseThrow();
                    withoutEnd.add(run);
                    assertThat(world.lose(run)).isTrue();
                }
                case STARVATION_CHECK -> world.machine().checkStarvation();
                case ROUND_OF_HEARTBEATS -> {
                    var unused = world.nextRound(0);
                }
                case ONE_SLOT_MORE -> world.machine().setSlots(++slots);
                case ONE_SLOT_LESS -> world.machine().setSlots(--slots);
                case PAUSE -> world.order(Phase.PAUSED);
                case RESUME -> world.order(Phase.RUNNING);
                case DRAIN -> world.order(Phase.DRAINING);
                case CLOSE -> world.machine().close();
                case TIME_IS_UP -> world.machine().timeIsUp();
            }
            perform();
            check();
        }

        private void claim(int type) {
            toldToClaim.remove(type);
            int jobs = world.claim(type).jobs();
            if (jobs > 0) {
                claims.put(type, jobs);
            } else {
                deferred.add(type);
            }
        }

        private void told(int type) {
            toldToClaim.add(type);
            deferred.remove(type);
        }

        private void arrive(int jobs) {
            int type = Collections.min(claims.keySet());
            int arriving = Math.min(jobs, claims.getOrDefault(type, 0));
            claims.remove(type);
            String name = type == 0 ? "a" : "b";
            world.deliver(type, arriving);
            for (int i = 0; i < arriving; i++) {
                held.add(name + (1 + countOf(name)));
            }
            if (arriving > 0) {
                told(type); // the acceptor claims again after a claim that has found jobs
            }
        }

        private long countOf(String name) {
            return held.stream().filter(run -> run.startsWith(name)).count();
        }

        private void begun(@Nullable String run) {
            if (run != null) {
                running.add(run);
            }
        }

        private void handlerReturns(String run) {
            running.remove(run);
            world.handlerReturns(run, SUCCESS);
            begun(world.begin());
        }

        private void perform() {
            for (String effect : world.effects()) {
                switch (effect) {
                    case "let a claim" -> told(0);
                    case "let b claim" -> told(1);
                    case "start a thread" -> tasks++;
                    case "handlers are done" -> endings++;
                    case "close" -> mustClose = true;
                    default -> {}
                }
            }
            if (mustClose) {
                mustClose = false;
                world.machine().close();
                perform();
            }
        }

        private void check() {
            law("one task of the executor at a time", tasks <= 1);
            law("one end of the worker", endings <= 1);
            law("the count of what runs", world.machine().running() == running.size());
            boolean waits = held.stream().anyMatch(run -> !world.run(run).isDecided() && !running.contains(run));
            boolean begins = world.machine().phase() == Phase.RUNNING && running.size() < slots && !isRefused;
            law("a job that can begin has a task", tasks == 1 || !waits || !begins);
        }

        private void law(String law, boolean isKept) {
            if (!isKept) {
                throw new AssertionError(law + ": not kept after " + events);
            }
        }

        /** All that can go on goes on, and then the worker closes. */
        void end() {
            if (world.machine().phase() != Phase.DRAINING) {
                world.order(Phase.RUNNING);
            }
            world.machine().askExecutorAgain();
            perform();
            goOn();
            if (world.machine().phase() == Phase.RUNNING) {
                law("each job begins", world.machine().held() == 0);
                law("each type that got no slot is told of free ones", deferred.isEmpty());
                claimNothing(0);
                claimNothing(1);
                law("all slots are free", claimNothing(0) >= slots && claimNothing(1) >= slots);
            }
            world.machine().close();
            perform();
            law("the worker ends", endings == 1);
            law("no data is held", world.holdsNoData());
            assertThat(world.ends().stream().map(end -> end.substring(0, end.indexOf(' '))))
                    .as("ends after %s", events)
                    .containsExactlyInAnyOrderElementsOf(held.stream()
                            .filter(run -> !withoutEnd.contains(run))
                            .toList());
        }

        /** {@return the demand of a claim that finds no job} */
        private int claimNothing(int type) {
            int jobs = world.claim(type).jobs();
            world.deliver(type, 0);
            return jobs;
        }

        private void goOn() {
            for (boolean goesOn = true; goesOn; ) {
                goesOn = false;
                for (Event event : GOING_ON) {
                    if (canHappen(event)) {
                        happens(event);
                        goesOn = true;
                    }
                }
            }
        }
    }
}

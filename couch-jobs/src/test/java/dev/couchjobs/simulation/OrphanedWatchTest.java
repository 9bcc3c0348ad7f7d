package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.loop.WatchLooks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No watch ever fires here. Whoever waits for one is served nevertheless, within the bound of its place. */
class OrphanedWatchTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

    /** The classes of other modules that arm watches. Their loops have a longest pause, but for {@code TailWait}. */
    private static final Set<String> IN_OTHER_MODULES = Set.of(
            "NodeRows", // 15 seconds in NodeControl
            "NodeSets", // BridgeContext.LOOK_AGAIN in BridgeEngine
            "Outbox", // BridgeContext.LOOK_AGAIN in DocumentPublisher
            "Consumption", // a minute in PartitionRunner
            "Membership", // a part of the lease in ConsumerEngine
            "TopicTable", // a minute in Publisher
            "TailWait", // WatchLooks.BOUND, see OrphanedTailWatchTest
            "EmbeddedStore"); // a benchmark

    /** What waits for a watch, in which class it is armed, and how long a change may remain unseen. */
    enum Place {
        NEW_JOB(Bounds.LOOK, WatchScene::newJob, "ClaimTry"),
        FOLLOWER(Bounds.LOOK, WatchScene::follower, "IdleProcesses"),
        RESUMED_TYPE(Bounds.LOOK, WatchScene::resumedType, "ClaimRules"),
        END_OF_ANOTHER_JOB(Bounds.LOOK, WatchScene::endOfAnotherJob, "Allowance"),
        LOST_CLAIM(Bounds.LOOK, WatchScene::lostClaim, "LostClaims"),
        SHORTER_TIMEOUT(Bounds.LOOK, WatchScene::shorterTimeout, "TypeTimeouts"),
        CHANGE_OF_TYPE(Bounds.LOOK, WatchScene::changeOfType, "WatchedKeys"),
        CHANGE_OF_ANY_TYPE(Bounds.LOOK, WatchScene::changeOfAnyType, "WatchedKeys"),
        CHANGE_OF_ONE_OF_MANY_JOBS(Bounds.LOOK, WatchScene::changeOfOneOfManyJobs, "ChangeScan"),
        CHANGE_OF_JOB(Bounds.MINUTE, WatchScene::changeOfJob, "JobFingerprint"),
        ORDER(Bounds.MINUTE, WatchScene::order, "WorkerRegistration"),
        ORDER_FOR_REMOTE_WORKER(Bounds.LOOK, WatchScene::orderForRemoteWorker, "WorkerVerbs"),
        RELEASED_DEPENDENT(Bounds.FIVE_MINUTES, WatchScene::releasedDependent, "DependentReleaser"),
        TYPE_IN_USE(Bounds.FIVE_MINUTES, WatchScene::typeInUse, "MonitorLeases");

        private final Duration bound;

        @SuppressWarnings("ImmutableEnumChecker") // method references
        private final Function<WatchScene, WatchScene.Awaited> begin;

        @SuppressWarnings("ImmutableEnumChecker") // List.of
        private final List<String> classes;

        Place(Duration bound, Function<WatchScene, WatchScene.Awaited> begin, String... classes) {
            this.bound = bound;
            this.begin = begin;
            this.classes = List.of(classes);
        }
    }

    private static final class Bounds {
        static final Duration LOOK = WatchLooks.BOUND;
        /** The registration of a worker and a follower of few jobs read once a minute, and ten per cent later. */
        static final Duration MINUTE = Duration.ofSeconds(67);

        static final Duration FIVE_MINUTES = Duration.ofSeconds(331);

        private Bounds() {}
    }

    @ParameterizedTest
    @EnumSource
    void whoeverWaitsIsServedWithinTheBound(Place place) {
        try (WatchScene scene = new WatchScene()) {
            WatchScene.Awaited awaited = place.begin.apply(scene);
            scene.rest();
            assertThat(awaited.isServed().getAsBoolean()).isFalse();

            awaited.change().run();

            assertThat(scene.timeUntil(awaited.isServed())).isLessThanOrEqualTo(place.bound);
        }
    }

    /** A new place belongs into the table. */
    @Test
    void thisTableHasEveryPlaceThatArmsAWatch() throws IOException {
        Set<String> expected = Stream.concat(
                        Stream.of(Place.values()).flatMap(place -> place.classes.stream()), IN_OTHER_MODULES.stream())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(classesThatArm()).isEqualTo(expected);
    }

    private static Set<String> classesThatArm() throws IOException {
        try (Stream<Path> files = Files.walk(PROJECT)) {
            return files.filter(file -> file.toString().contains("/src/main/java/")
                            && file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/fdb-embedded/"))
                    .filter(file -> arms(text(file)))
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> !name.equals("ArmedWatch"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static boolean arms(String code) {
        return code.contains("tx.watch(") || code.contains("transaction.watch(") || code.contains("ArmedWatch.arm");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.couchjobs.fdb.stackmachine;

import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.model.ModelDatabase;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random programs on two databases, which have to agree on everything that a program can see. */
@Tag("long")
class StackMachineTest {
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(1_500);

    @Test
    void theEngineInMemoryDoesWhatTheModelDoes() {
        Programs.of(250, 3_000)
                .check(inMemory(), model(), seed -> ApiPrograms.of(seed).meetingStamps());
    }

    @Test
    void theEngineInMemoryReadsWhatTheModelReads() {
        Programs.of(250, 3_000)
                .check(inMemory(), model(), seed -> ReadPrograms.of(seed).meetingStamps());
    }

    @Test
    void theEngineInMemoryReadsNearStampsWhatTheModelReads() {
        Programs.of(150, 3_000)
                .check(aging(), model(), seed -> StampPrograms.of(seed).meetingStamps());
    }

    @Test
    void theEngineInMemoryKeepsDirectoriesAsTheModelDoes() {
        Programs.of(30, 150).check(inMemory(), model(), DirectoryPrograms::of);
    }

    @Test
    void theEngineOnDiskDoesWhatTheOneInMemoryDoesAlsoWhenItIsReopened(@TempDir Path directory) {
        Programs.of(25, 200).check(new DurableTestedDatabase(directory), inMemory(), ApiPrograms::of);
    }

    @Test
    void theEngineOnDiskKeepsDirectoriesAsTheOneInMemoryDoesAlsoWhenItIsReopened(@TempDir Path directory) {
        Programs.of(10, 40).check(new DurableTestedDatabase(directory), inMemory(), DirectoryPrograms::of);
    }

    private static TestedDatabase inMemory() {
        return TestedDatabase.of("the engine in memory", EmbeddedDatabase.openInMemory());
    }

    /** Time passes with each look at the clock, so that each transaction begins later than the last commit. */
    private static TestedDatabase aging() {
        AtomicLong nanos = new AtomicLong();
        VirtualScheduler scheduler = new VirtualScheduler();
        EngineEnvironment environment =
                new EngineEnvironment(Runnable::run, scheduler, () -> nanos.addAndGet(STEP_NANOS), new Random(1));
        return TestedDatabase.of("the engine in memory", EmbeddedDatabase.openInMemory(environment));
    }

    private static TestedDatabase model() {
        return TestedDatabase.of("the model", new ModelDatabase());
    }
}

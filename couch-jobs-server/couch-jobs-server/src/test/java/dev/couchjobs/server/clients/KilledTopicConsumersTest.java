package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.server.HaltingPlan;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A program that holds an embedded database, and consumes messages in transactions, is killed at commits that a seed
 * draws, and started again: first as a process, then within this one. Afterwards each message was handled once, in the
 * order of its key.
 */
@Tag("long")
@Timeout(300)
class KilledTopicConsumersTest {
    private static final int KILLS = 4;
    private static final int COMMITS = 40;
    private static final int SEEDS = Boolean.getBoolean("long") ? 10 : 1;

    @TempDir
    private Path directory;

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    /** Runs the program as a process. {@return whether it was killed} */
    private boolean runProcess(int fatal, boolean takesEffect) {
        List<String> args = List.of(directory.toString(), Integer.toString(fatal), Boolean.toString(takesEffect));
        try (ClientProcess program = ClientProcess.startJava(
                "dev.couchjobs.server.clients.ConsumingProgram", URI.create("http://none/"), "", args)) {
            int status = program.awaitExit();
            assertThat(status).as(program.output()).isIn(0, HaltingPlan.KILLED);
            return status == HaltingPlan.KILLED;
        }
    }

    /** Runs the program within this process. {@return whether it was killed} */
    private boolean run(int fatal, boolean takesEffect) {
        HaltingPlan plan = HaltingPlan.within(fatal, takesEffect);
        try (Database database = plan.open(directory)) {
            ConsumingProgram.run(database);
        } catch (RuntimeException e) {
            assertThat(plan.isDead()).as(e.toString()).isTrue();
        }
        return plan.isDead();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachMessageIsHandledOnce(long seed) {
        Random random = new Random(seed);
        assertThat(runProcess(1 + random.nextInt(COMMITS), random.nextBoolean()))
                .isTrue();
        for (int kill = 1; kill < KILLS; kill++) {
            run(1 + random.nextInt(COMMITS), random.nextBoolean());
        }
        assertThat(run(Integer.MAX_VALUE, true)).isFalse();

        try (Database database = EmbeddedDatabase.open(directory)) {
            List<Integer> effects = database.run(tx -> IntStream.range(0, ConsumingProgram.MESSAGES)
                    .mapToObj(i -> ConsumingProgram.number(
                            tx.get(ConsumingProgram.effect(i)).join()))
                    .toList());
            assertThat(effects).as("seed %d", seed).containsOnly(1);
            boolean isInOrder =
                    database.run(tx -> tx.get(ConsumingProgram.DISORDER).join() == null);
            assertThat(isInOrder).as("seed %d", seed).isTrue();
        }
    }
}

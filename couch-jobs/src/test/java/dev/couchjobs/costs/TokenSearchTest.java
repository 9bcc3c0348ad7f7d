package dev.couchjobs.costs;

import static dev.couchjobs.costs.Scene.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TokenSearch;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What it costs to find out whether an earlier try has committed, while others write a lot. */
class TokenSearchTest {
    private static final Subspace SUBSPACE = new Subspace(Tuple.from("search"));
    private static final int MANY = 2_500; // more than are read at once

    private final VirtualStage stage = new VirtualStage(3);
    private final MeasuredDatabase measured = new MeasuredDatabase(stage.database(), stage.time());
    private final CouchJobs others = CouchJobs.builder(stage.database())
            .subspace(SUBSPACE)
            .environment(stage.environment())
            .build();
    private final TokenSearch search = new TokenSearch(new Keyspace(SUBSPACE).type(MAIL.name()), 1);

    private int added;

    @BeforeEach
    void createType() {
        stage.await(others.setTypeTimeout(stage.database(), MAIL, Duration.ofSeconds(30)));
    }

    @AfterEach
    void close() {
        others.close();
        stage.close();
    }

    private void othersWrite(int entries) {
        for (int i = 0; i < entries; i++) {
            stage.await(others.add(stage.database(), MAIL, "job-" + added++, Scene.DATA));
        }
    }

    /** {@return how many entries were read to find nothing} */
    private int keysReadInVain() {
        measured.forget();
        assertThat(stage.await(measured.asDatabase().readAsync(search::hasCommitted)))
                .isFalse();
        return measured.tries().stream()
                .mapToInt(each -> each.cost().keysRead())
                .sum();
    }

    @Test
    void nothingThatHasBeenLookedAtIsLookedAtAgain() {
        othersWrite(MANY);
        assertThat(keysReadInVain()).isZero();
        othersWrite(MANY);
        assertThat(keysReadInVain()).isEqualTo(MANY);
        assertThat(keysReadInVain()).isZero();
        othersWrite(1);
        assertThat(keysReadInVain()).isEqualTo(1);
    }
}

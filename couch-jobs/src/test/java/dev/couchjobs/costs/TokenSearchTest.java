package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.feed.TokenSearch;
import dev.couchjobs.internal.rows.Keyspace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What it costs to find out whether an earlier try has committed, while others write a lot. */
class TokenSearchTest {
    private static final int MANY = 2_500; // more than are read at once

    private final MeasuredStage stage = new MeasuredStage(3, MAIL);
    private final TokenSearch search = new TokenSearch(new Keyspace(new Subspace()).type(MAIL.name()), 1);

    private int added;

    @AfterEach
    void close() {
        stage.close();
    }

    private void othersWrite(int entries) {
        for (int i = 0; i < entries; i++) {
            stage.await(stage.others().add(stage.database(), MAIL, "job-" + added++, CostFixture.DATA));
        }
    }

    /** {@return how many entries were read to find nothing} */
    private int keysReadInVain() {
        stage.forget();
        assertThat(stage.await(stage.measured().readAsync(search::hasCommitted)))
                .isFalse();
        return stage.tries().stream().mapToInt(each -> each.cost().keysRead()).sum();
    }

    @Test
    void nothingThatHasBeenLookedAtIsLookedAtAgain() {
        search.mayHaveCommitted();
        othersWrite(MANY);
        assertThat(keysReadInVain()).isZero();
        othersWrite(MANY);
        assertThat(keysReadInVain()).isEqualTo(MANY);
        assertThat(keysReadInVain()).isZero();
        othersWrite(1);
        assertThat(keysReadInVain()).isEqualTo(1);
    }
}

package dev.couchjobs.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.Databases;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EffectRowsTest {
    private final Database database = Databases.inMemory();
    private final EffectRows effects = new EffectRows(database, new Subspace(Tuple.from("soak")));

    @AfterEach
    void close() {
        database.close();
    }

    private void commit(long... numbers) {
        database.run(tx -> {
            LongStream.of(numbers).forEach(number -> effects.add(tx, number));
            return effects;
        });
    }

    private long rows() {
        return database.read(tx -> (long) tx.getRange(new Subspace(Tuple.from("soak")).range())
                .asList()
                .join()
                .size());
    }

    @Test
    void theFrontierIsTheFirstNumberWithoutAnEffect() {
        commit(0, 1, 3);
        assertThat(effects.check()).isEqualTo(new EffectRows.Checked(2, 0));
        assertThat(effects.missing(5)).isEqualTo(2);
        commit(2);
        assertThat(effects.check()).isEqualTo(new EffectRows.Checked(4, 0));
    }

    @Test
    void manyNumbersAreCheckedAtOnceAndTheirRowsCleared() {
        commit(LongStream.range(0, 2_500).toArray());
        assertThat(effects.check()).isEqualTo(new EffectRows.Checked(2_500, 0));
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void aSecondEffectIsDoubled() {
        commit(0, 1);
        commit(1);
        assertThat(effects.check()).isEqualTo(new EffectRows.Checked(2, 1));
    }

    @Test
    void aSecondEffectIsDoubledAlsoAfterTheFirstWasChecked() {
        commit(0, 1);
        effects.check();
        commit(0, 2);
        assertThat(effects.check()).isEqualTo(new EffectRows.Checked(3, 1));
        assertThat(effects.check()).isEqualTo(new EffectRows.Checked(3, 1));
    }
}

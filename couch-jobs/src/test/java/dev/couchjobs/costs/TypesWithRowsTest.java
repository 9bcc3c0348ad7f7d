package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.types.TypesWithRows;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The search for types with rows reads each subspace once for each type in it, whatever is in the others,
 * and whatever the size of its pages.
 */
class TypesWithRowsTest {
    private static final int TYPES = 20;
    private static final int PAGE = 3;

    private final MeasuredStage stage = new MeasuredStage(18, MAIL);

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void emptySubspacesAreReadOnce() {
        List<String> names =
                IntStream.range(0, TYPES).mapToObj("type-%02d"::formatted).toList();
        names.forEach(name ->
                stage.await(stage.others().add(stage.database(), NewJob.of(JobType.of(name, String.class), "data"))));
        stage.forget();

        List<String> found = stage.await(stage.measured()
                .readAsync(tx -> allIn(tx, TypesWithRows.inQueuesOrActivity(new Keyspace(new Subspace())))));

        assertThat(found).isEqualTo(names);
        int queues = TYPES + 1; // one read finds that there is no further type
        int others = 2;
        assertThat(stage.tries())
                .singleElement()
                .satisfies(each -> assertThat(each.reads()).isEqualTo(queues + others));
    }

    private static CompletableFuture<List<String>> allIn(ReadTransaction tx, TypesWithRows search) {
        return search.next(tx, PAGE)
                .thenCompose(page -> page.rest()
                        .map(rest -> allIn(tx, rest)
                                .thenApply(later -> Stream.concat(page.types().stream(), later.stream())
                                        .toList()))
                        .orElseGet(() -> CompletableFuture.completedFuture(page.types())));
    }
}

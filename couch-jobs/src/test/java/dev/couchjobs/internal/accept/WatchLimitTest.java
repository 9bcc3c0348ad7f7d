package dev.couchjobs.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which acceptors watch for new jobs if there are more of them than may watch. The letters stand for acceptors. */
class WatchLimitTest {
    private final Set<String> inUse = new HashSet<>();
    private final List<String> woken = new ArrayList<>();
    private final WatchLimit<String> limit = new WatchLimit<>(2, inUse::contains, woken::add);

    @Test
    void theFirstOnesWatch() {
        assertThat(limit.mayWatch("a")).isTrue();
        assertThat(limit.mayWatch("b")).isTrue();
        assertThat(limit.mayWatch("c")).isFalse();
        assertThat(limit.mayWatch("a")).isTrue();
    }

    @Test
    void aTypeInUseReplacesTheOneWhoseAcceptorAskedLeastRecently() {
        limit.mayWatch("a");
        limit.mayWatch("b");
        limit.mayWatch("a");
        inUse.add("c");

        assertThat(limit.mayWatch("c")).isTrue();

        assertThat(woken).containsExactly("b");
        assertThat(limit.mayWatch("b")).isFalse();
    }

    @Test
    void aTypeInUseDoesNotReplaceAnother() {
        inUse.addAll(List.of("a", "b", "c"));
        limit.mayWatch("a");
        limit.mayWatch("b");

        assertThat(limit.mayWatch("c")).isFalse();
        assertThat(woken).isEmpty();
    }

    @Test
    void aTypeThatIsNoLongerInUseIsReplacedWhenThatIsKnown() {
        inUse.addAll(List.of("a", "b", "c"));
        limit.mayWatch("a");
        limit.mayWatch("b");
        limit.mayWatch("c");
        inUse.remove("b");
        limit.wakeInUse();

        assertThat(limit.mayWatch("c")).isTrue();
        assertThat(woken).containsExactly("c", "b");
    }

    @Test
    void anAcceptorThatDoesNotWatchIsWokenWhileItsTypeIsInUse() {
        limit.mayWatch("a");
        limit.mayWatch("b");
        limit.mayWatch("c");
        limit.wakeInUse();
        assertThat(woken).isEmpty();
        inUse.add("c");

        limit.wakeInUse();

        assertThat(woken).containsExactly("c");
    }

    @Test
    void aRemovedAcceptorMakesRoom() {
        limit.mayWatch("a");
        limit.mayWatch("b");
        limit.mayWatch("c");

        limit.remove("a");

        assertThat(limit.mayWatch("c")).isTrue();
        limit.wakeInUse();
        assertThat(woken).isEmpty();
    }
}

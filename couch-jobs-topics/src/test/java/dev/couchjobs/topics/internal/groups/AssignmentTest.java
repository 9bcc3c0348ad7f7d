package dev.couchjobs.topics.internal.groups;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Members that each do their own part share the partitions evenly, and then nothing moves. */
class AssignmentTest {

    @Test
    void membersShareEvenly() {
        Samples.check(500, samples -> {
            int partitions = samples.between(1, 40);
            int members = samples.between(1, 12);
            Random random = new Random(samples.seed());

            TreeSet<String> live = new TreeSet<>();
            IntStream.range(0, members).forEach(i -> live.add("m" + i));
            List<Optional<String>> holders = new ArrayList<>();
            for (int i = 0; i < partitions; i++) {
                // Some are held by members that live, some by dead ones, some by none.
                int holder = random.nextInt(members + 2);
                holders.add(holder == members + 1 ? Optional.empty() : Optional.of("m" + holder));
            }

            int moves = settle(live, holders, random);

            List<Long> counts = live.stream()
                    .map(member -> holders.stream()
                            .filter(holder -> holder.equals(Optional.of(member)))
                            .count())
                    .toList();
            assertThat(counts).allMatch(count -> count == partitions / members || count == partitions / members + 1);
            assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(partitions);
            assertThat(moves).isLessThanOrEqualTo(2 * partitions);
        });
    }

    @Test
    void whenAMemberLeavesOnlyItsPartitionsMove() {
        Samples.check(200, samples -> {
            int partitions = samples.between(1, 40);
            int members = samples.between(2, 8);
            Random random = new Random(samples.seed());

            TreeSet<String> live = new TreeSet<>();
            IntStream.range(0, members).forEach(i -> live.add("m" + i));
            List<Optional<String>> holders = new ArrayList<>();
            IntStream.range(0, partitions).forEach(i -> holders.add(Optional.empty()));
            settle(live, holders, random);
            List<Optional<String>> before = List.copyOf(holders);

            live.remove("m0");
            settle(live, holders, random);

            for (int i = 0; i < partitions; i++) {
                if (!before.get(i).equals(Optional.of("m0"))) {
                    assertThat(holders.get(i)).isEqualTo(before.get(i));
                }
            }
        });
    }

    /** Members act one after another, in any order, until nothing moves. {@return how many partitions were taken} */
    private static int settle(SortedSet<String> live, List<Optional<String>> holders, Random random) {
        int moves = 0;
        List<String> quiet = new ArrayList<>();
        List<String> all = List.copyOf(live);
        for (int step = 0; quiet.size() < live.size(); step++) {
            assertThat(step).as("steps").isLessThan(10_000);
            String member = all.get(random.nextInt(all.size()));
            Assignment part = Assignment.of(member, live, List.copyOf(holders), random.nextInt());
            part.take().forEach(partition -> holders.set(partition, Optional.of(member)));
            part.release().forEach(partition -> holders.set(partition, Optional.empty()));
            moves += part.take().size();
            if (part.take().isEmpty() && part.release().isEmpty()) {
                if (!quiet.contains(member)) {
                    quiet.add(member);
                }
            } else {
                quiet.clear();
            }
        }
        return moves;
    }
}

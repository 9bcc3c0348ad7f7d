package dev.couchjobs.topics.internal.groups;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What one member takes and gives back, from what all members see. No member decides for another: each computes its own
 * part, and the rows of the partitions settle who was first. When nothing more moves, each member holds the same number
 * of partitions, or one more than another. No partition moves without need.
 *
 * @param take partitions without a holder, for this member
 * @param release partitions that this member holds, for others
 */
record Assignment(List<Integer> take, List<Integer> release) {

    /**
     * Computes the part of a member.
     *
     * @param me the member
     * @param live all members that live, with this one
     * @param choices the partitions that some of them have chosen; the others share the rest
     * @param holders who holds a partition; none if that is empty or no live member
     * @param first where this member begins to take, so that members do not all take the same partitions
     */
    static Assignment of(
            String me,
            SortedSet<String> live,
            Map<String, Set<Integer>> choices,
            List<Optional<String>> holders,
            int first) {
        if (choices.containsKey(me)) {
            return new Assignment(
                    choices.get(me).stream()
                            .filter(partition -> partition < holders.size()
                                    && holders.get(partition)
                                            .filter(holder -> live.contains(holder))
                                            .isEmpty())
                            .sorted()
                            .toList(),
                    List.of());
        }
        Set<Integer> chosen = choices.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
        List<Integer> shared = IntStream.range(0, holders.size())
                .filter(partition -> !chosen.contains(partition))
                .boxed()
                .toList();
        SortedSet<String> sharing = live.stream()
                .filter(member -> !choices.containsKey(member))
                .collect(Collectors.toCollection(TreeSet::new));
        Assignment share = of(me, sharing, shared.stream().map(holders::get).toList(), first);
        List<Integer> release =
                new ArrayList<>(share.release().stream().map(shared::get).toList());
        chosen.stream()
                .filter(partition ->
                        partition < holders.size() && holders.get(partition).equals(Optional.of(me)))
                .forEach(release::add);
        return new Assignment(share.take().stream().map(shared::get).toList(), List.copyOf(release));
    }

    /**
     * Computes the part of a member where all share all partitions.
     *
     * @param me the member
     * @param live all members that live, with this one
     * @param holders who holds a partition; none if that is empty or no live member
     * @param first where this member begins to take, so that members do not all take the same partitions
     */
    static Assignment of(String me, SortedSet<String> live, List<Optional<String>> holders, int first) {
        Map<String, List<Integer>> held = new TreeMap<>();
        live.forEach(member -> held.put(member, new ArrayList<>()));
        List<Integer> free = new ArrayList<>();
        for (int partition = 0; partition < holders.size(); partition++) {
            holders.get(partition).map(held::get).orElse(free).add(partition);
        }
        int least = holders.size() / live.size();
        int membersWithOneMore = holders.size() % live.size();
        List<Integer> mine = held.getOrDefault(me, List.of());
        int due = least + (hasOneMore(me, held, least, membersWithOneMore) ? 1 : 0);
        if (mine.size() > due) {
            return new Assignment(List.of(), List.copyOf(mine.subList(due, mine.size())));
        }
        int missing = held.values().stream()
                .mapToInt(partitions -> Math.max(0, least - partitions.size()))
                .sum();
        int wanted = mine.size() < least ? least - mine.size() : free.size() > missing ? due - mine.size() : 0;
        return new Assignment(some(free, wanted, first), List.of());
    }

    /** Members that hold more come first, so that what they hold stays where it is. */
    private static boolean hasOneMore(String me, Map<String, List<Integer>> held, int least, int membersWithOneMore) {
        return held.keySet().stream()
                .sorted(Comparator.comparingInt((String member) ->
                                -Math.min(held.getOrDefault(member, List.of()).size(), least + 1))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(membersWithOneMore)
                .anyMatch(me::equals);
    }

    private static List<Integer> some(List<Integer> free, int count, int first) {
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < Math.min(count, free.size()); i++) {
            taken.add(free.get(Math.floorMod(first + i, free.size())));
        }
        return List.copyOf(taken);
    }
}

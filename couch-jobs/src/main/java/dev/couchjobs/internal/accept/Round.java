package dev.couchjobs.internal.accept;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The clients for which one claim is made, and how many jobs each of them wants: first come, first served. */
final class Round<D> {
    private final Map<AcceptMode, List<Order<D>>> orders = new LinkedHashMap<>();
    private final List<Client<D>> asked = new ArrayList<>();

    /** A share of what is claimed. */
    record Order<D>(Client<D> client, int wanted) {}

    void ask(Client<D> client) {
        asked.add(client);
        int wanted = client.wanted();
        if (wanted > 0) {
            orders.computeIfAbsent(client.mode(), mode -> new ArrayList<>()).add(new Order<>(client, wanted));
        }
    }

    boolean isEmpty() {
        return orders.isEmpty();
    }

    /** How many jobs to claim of each kind, if there is room for so many in one transaction. */
    Map<AcceptMode, Integer> wanted(int room) {
        int share = Math.max(1, room / orders.size());
        Map<AcceptMode, Integer> wanted = new LinkedHashMap<>();
        orders.forEach((mode, ofMode) -> wanted.put(
                mode, Math.min(share, ofMode.stream().mapToInt(Order::wanted).sum())));
        return wanted;
    }

    List<Order<D>> of(AcceptMode mode) {
        return orders.getOrDefault(mode, List.of());
    }

    List<Client<D>> clients() {
        return orders.values().stream().flatMap(List::stream).map(Order::client).toList();
    }

    void end() {
        asked.forEach(Client::claimEnded);
    }
}

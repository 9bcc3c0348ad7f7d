package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.testing.ModelCouchDatabase;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ObjectNode;

/** Clients that create work items and save them unchanged, and other programs that work on the same queue. */
final class ForeignClients {
    private static final int HOLD_MILLIS_MAX = 20_000;
    private static final int CLAIMS_MAX = 4;
    private static final int TOUCH_MILLIS_MAX = 3_000;

    private final Simulation simulation;
    private final RandomGenerator random;
    private final List<Item> items;
    private final Function<Item, ModelCouchDatabase> places;
    private final ItemLaws laws;
    private int busy;

    ForeignClients(
            Simulation simulation,
            RandomGenerator random,
            List<Item> items,
            Function<Item, ModelCouchDatabase> places,
            ItemLaws laws) {
        this.simulation = simulation;
        this.random = random;
        this.items = items;
        this.places = places;
        this.laws = laws;
    }

    /** Creates each item at its time, and claims some before the latest. */
    void begin(Duration latest) {
        for (Item item : items) {
            after(item.time(), () -> write(item, item.body().deepCopy()));
        }
        if (!items.isEmpty()) {
            if (random.nextInt(3) == 0) {
                touch(latest);
            }
            for (int left = random.nextInt(CLAIMS_MAX); left > 0; left--) {
                Item item = items.get(random.nextInt(items.size()));
                after(Duration.ofMillis(random.nextLong(latest.toMillis())), () -> claim(item));
            }
        }
    }

    /** Saves an item, whether it is claimed or not, repeatedly until the latest time. */
    private void touch(Duration latest) {
        if (simulation.elapsed().compareTo(latest) < 0) {
            Item item = items.get(random.nextInt(items.size()));
            places.apply(item)
                    .read(item.id())
                    .current()
                    .map(ForeignClients::shown)
                    .ifPresent(found ->
                            write(item, found.put("seen", simulation.elapsed().toMillis())));
            after(Duration.ofMillis(random.nextInt(TOUCH_MILLIS_MAX)), () -> touch(latest));
        }
    }

    /** {@return whether the clients have work left} */
    boolean areBusy() {
        return busy > 0;
    }

    private void claim(Item item) {
        Optional<ObjectNode> found =
                places.apply(item).read(item.id()).current().map(ForeignClients::shown);
        if (found.isEmpty()
                || found.get().path("claimed").asBoolean(false)
                || found.get().path("status").asString("").equals("fail")) {
            return;
        }
        ObjectNode claimed = found.get().put("claimed", true);
        if (random.nextBoolean()) {
            claimed.put("claimed_by", "stranger");
        } else {
            claimed.remove("claimed_by");
        }
        if (!write(item, claimed)) {
            return;
        }
        laws.isTaken(item, claimed.path("attempts").asInt(0));
        Duration hold = Duration.ofMillis(random.nextInt(HOLD_MILLIS_MAX));
        switch (random.nextInt(3)) {
            case 0 -> after(hold, () -> setFree(item));
            case 1 -> after(hold, () -> delete(item));
            default -> {} // it never returns
        }
    }

    private void setFree(Item item) {
        ObjectNode free = own(item).put("claimed", false);
        free.remove("claimed_by");
        if (write(item, free)) {
            laws.isSetFree(item);
        }
    }

    private void delete(Item item) {
        write(item, own(item).put("_deleted", true));
    }

    private ObjectNode own(Item item) {
        return places.apply(item)
                .read(item.id())
                .current()
                .map(ForeignClients::shown)
                .orElseThrow();
    }

    private static ObjectNode shown(Leaf leaf) {
        return leaf.body()
                .deepCopy()
                .put("_id", leaf.body().path("_id").asString())
                .put("_rev", leaf.revision());
    }

    private boolean write(Item item, ObjectNode document) {
        WriteResult result = places.apply(item).write(document);
        simulation.log("A stranger writes " + document + ": " + result);
        return result instanceof WriteResult.Accepted;
    }

    private void after(Duration delay, Runnable action) {
        busy++;
        var unused = simulation
                .scheduler()
                .schedule(
                        () -> {
                            busy--;
                            action.run();
                        },
                        delay.toNanos(),
                        TimeUnit.NANOSECONDS);
    }
}

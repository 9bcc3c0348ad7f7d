package dev.couchjobs.costs;

import com.apple.foundationdb.Database;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One row of the table.
 *
 * @param name what is measured, as the page calls it
 * @param cost measures it
 */
record Row(String name, Function<Scene, Cost> cost) {

    /** A verb, which is given the database to work on. */
    @FunctionalInterface
    interface Verb<G> {
        CompletableFuture<?> call(Scene scene, Database measured, G given);
    }

    /**
     * All that a verb does.
     *
     * @param given sets the scene and returns what the verb needs
     */
    static <G> Row verb(String name, Function<Scene, G> given, Verb<G> verb) {
        return new Row(name, scene -> {
            G ready = given.apply(scene);
            return scene.cost(() -> scene.await(verb.call(scene, scene.measured(), ready)), transaction -> true);
        });
    }

    /**
     * What a loop does while something happens.
     *
     * @param given sets the scene and returns what is needed for it to happen
     * @param transactions tells the loop's transactions from those of others
     */
    static <G> Row loop(
            String name, Function<Scene, G> given, BiConsumer<Scene, G> happens, Predicate<Cost> transactions) {
        return new Row(name, scene -> {
            G ready = given.apply(scene);
            return scene.cost(() -> happens.accept(scene, ready), transactions);
        });
    }

    @Override
    public String toString() {
        return name;
    }
}

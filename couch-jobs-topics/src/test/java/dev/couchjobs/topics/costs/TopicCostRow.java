package dev.couchjobs.topics.costs;

import com.apple.foundationdb.Database;
import dev.couchjobs.costs.Cost;
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
record TopicCostRow(String name, Function<TopicCostFixture, Cost> cost) {

    /** A verb, which is given the database to work on. */
    @FunctionalInterface
    interface Verb<G> {
        CompletableFuture<?> call(TopicCostFixture fixture, Database measured, G given);
    }

    /**
     * All that a verb does.
     *
     * @param given sets the scene and returns what the verb needs
     */
    static <G> TopicCostRow verb(String name, Function<TopicCostFixture, G> given, Verb<G> verb) {
        return loop(
                name,
                given,
                (fixture, ready) -> {
                    var unused = fixture.await(verb.call(fixture, fixture.measured(), ready));
                },
                transaction -> true);
    }

    /**
     * What a loop does while something happens.
     *
     * @param given sets the scene and returns what is needed for it to happen
     * @param transactions tells the loop's transactions from those of others
     */
    static <G> TopicCostRow loop(
            String name,
            Function<TopicCostFixture, G> given,
            BiConsumer<TopicCostFixture, G> happens,
            Predicate<Cost> transactions) {
        return new TopicCostRow(name, fixture -> {
            G ready = given.apply(fixture);
            return fixture.cost(() -> happens.accept(fixture, ready), transactions);
        });
    }

    @Override
    public String toString() {
        return name;
    }
}

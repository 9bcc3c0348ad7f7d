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
record CostRow(String name, Function<CostFixture, Cost> cost) {

    /** A verb, which is given the database to work on. */
    @FunctionalInterface
    interface Verb<G> {
        CompletableFuture<?> call(CostFixture fixture, Database measured, G given);
    }

    /**
     * All that a verb does.
     *
     * @param given sets the scene and returns what the verb needs
     */
    static <G> CostRow verb(String name, Function<CostFixture, G> given, Verb<G> verb) {
        return new CostRow(name, fixture -> {
            G ready = given.apply(fixture);
            return fixture.cost(
                    () -> fixture.await(verb.call(fixture, fixture.measured(), ready)), transaction -> true);
        });
    }

    /**
     * What a loop does while something happens.
     *
     * @param given sets the scene and returns what is needed for it to happen
     * @param transactions tells the loop's transactions from those of others
     */
    static <G> CostRow loop(
            String name,
            Function<CostFixture, G> given,
            BiConsumer<CostFixture, G> happens,
            Predicate<Cost> transactions) {
        return new CostRow(name, fixture -> {
            G ready = given.apply(fixture);
            return fixture.cost(() -> happens.accept(fixture, ready), transactions);
        });
    }

    @Override
    public String toString() {
        return name;
    }
}

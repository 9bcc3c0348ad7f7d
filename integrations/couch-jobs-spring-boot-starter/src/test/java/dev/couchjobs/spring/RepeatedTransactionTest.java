package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.tuple.Tuple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;

/** After a conflict a method with {@link JobsTransactional} is called again. */
@Timeout(240)
class RepeatedTransactionTest {
    private static final byte[] READ = Tuple.from("read").pack();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(CouchJobsAutoConfiguration.class, TransactionsConfiguration.class))
            .withBean(Methods.class)
            .withBean(OfAClass.class)
            .withBean(OfAnInterface.class)
            .withPropertyValues("couch-jobs.database=memory");

    interface Repeated {
        @JobsTransactional
        void call(Runnable body);
    }

    static class OfAnInterface implements Repeated {
        @Override
        public void call(Runnable body) {
            body.run();
        }
    }

    static class Methods {
        @JobsTransactional
        void asConfigured(Runnable body) {
            body.run();
        }

        @JobsTransactional(tries = 3)
        void threeTimes(Runnable body) {
            body.run();
        }

        @JobsTransactional(tries = 1)
        void once(Runnable body) {
            body.run();
        }

        @JobsTransactional(propagation = Propagation.REQUIRES_NEW)
        void inOwnTransaction(Runnable body) {
            body.run();
        }
    }

    @JobsTransactional
    static class OfAClass {
        String greet(Supplier<String> name) {
            return "hello, " + name.get();
        }

        @JobsTransactional(tries = 2)
        void twice(Runnable body) {
            body.run();
        }
    }

    /** Reads a row that another transaction changes before this one commits, until it has done so a few times. */
    private static final class Conflicting implements Runnable {
        private final Database database;
        private final CurrentTransaction current;
        private final int conflicts;
        private final byte[] written = Tuple.from("written", UUID.randomUUID()).pack();
        private int calls;

        Conflicting(AssertableApplicationContext context, int conflicts) {
            this.database = context.getBean(Database.class);
            this.current = context.getBean(CurrentTransaction.class);
            this.conflicts = conflicts;
        }

        @Override
        public void run() {
            current.context().run(tx -> tx.get(READ).join());
            current.context().run(tx -> {
                tx.set(written, written);
                return tx;
            });
            if (++calls <= conflicts) {
                database.run(tx -> {
                    tx.set(READ, Tuple.from(calls).pack());
                    return tx;
                });
            }
        }

        private boolean hasCommitted() {
            return database.<byte[]>read(tx -> tx.get(written).join()) != null;
        }
    }

    /** A method, and how often it is called at most. */
    private record Case(String name, int tries, ContextMethod method) {}

    @FunctionalInterface
    private interface ContextMethod {
        void call(AssertableApplicationContext context, Runnable body);
    }

    private static final List<Case> CASES = List.of(
            new Case(
                    "as configured",
                    5,
                    (context, body) -> context.getBean(Methods.class).asConfigured(body)),
            new Case(
                    "three times",
                    3,
                    (context, body) -> context.getBean(Methods.class).threeTimes(body)),
            new Case(
                    "once", 1, (context, body) -> context.getBean(Methods.class).once(body)),
            new Case(
                    "own transaction",
                    5,
                    (context, body) -> context.getBean(Methods.class).inOwnTransaction(body)),
            new Case(
                    "of an interface",
                    5,
                    (context, body) -> context.getBean(Repeated.class).call(body)),
            new Case(
                    "of a class",
                    5,
                    (context, body) -> assertThat(
                                    context.getBean(OfAClass.class).greet(() -> {
                                        body.run();
                                        return "ann";
                                    }))
                            .isEqualTo("hello, ann")),
            new Case(
                    "of a method of the class",
                    2,
                    (context, body) -> context.getBean(OfAClass.class).twice(body)));

    @Test
    void theLastTryMayCommit() {
        runner.run(context -> assertThat(CASES).allSatisfy(method -> {
            Conflicting body = new Conflicting(context, method.tries() - 1);
            method.method().call(context, body);

            assertThat(body.calls).isEqualTo(method.tries());
            assertThat(body.hasCommitted()).isTrue();
        }));
    }

    @Test
    void thereAreNoMoreTries() {
        runner.run(context -> assertThat(CASES).allSatisfy(method -> {
            Conflicting body = new Conflicting(context, Integer.MAX_VALUE);
            assertThatThrownBy(() -> method.method().call(context, body))
                    .isInstanceOf(ConcurrencyFailureException.class)
                    .hasRootCauseInstanceOf(FDBException.class);

            assertThat(body.calls).isEqualTo(method.tries());
            assertThat(body.hasCommitted()).isFalse();
        }));
    }

    @Test
    void theNumberOfTriesIsAProperty() {
        runner.withPropertyValues("couch-jobs.transactions.tries=2").run(context -> {
            Conflicting body = new Conflicting(context, Integer.MAX_VALUE);
            assertThatThrownBy(() -> context.getBean(Methods.class).asConfigured(body))
                    .isInstanceOf(ConcurrencyFailureException.class);

            assertThat(body.calls).isEqualTo(2);
        });
    }

    static class Wrong {
        @JobsTransactional(tries = -1)
        void never() {}
    }

    @Test
    void aWrongNumberOfTriesFailsTheStart() {
        runner.withBean(Wrong.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("@JobsTransactional(tries = -1) of " + Wrong.class.getName() + ".never"));
    }

    static class Parent {
        @JobsTransactional
        private void hidden() {}

        void use() {
            hidden();
        }
    }

    static class Unseen {
        static class Private {
            @JobsTransactional
            private void hidden() {}

            void use() {
                hidden();
            }
        }

        static class Static {
            @JobsTransactional
            static void hidden() {}
        }

        static class Final {
            @JobsTransactional
            final void hidden() {}
        }

        static class Inherited extends Parent {
            @JobsTransactional
            void seen() {}
        }

        static class Beside {
            @JobsTransactional
            void also() {}

            @JobsTransactional
            public final void hidden() {}
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Unseen.Private.class,
                Unseen.Static.class,
                Unseen.Final.class,
                Unseen.Inherited.class,
                Unseen.Beside.class
            })
    void aMethodThatAProxyDoesNotSeeFailsTheStart(Class<?> bean) {
        runner.withBean(bean)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining(".hidden: a method that is private, static or final"));
    }

    @Test
    void whoeverBeganTheTransactionIsRepeated() {
        runner.run(context -> {
            Methods methods = context.getBean(Methods.class);
            Conflicting body = new Conflicting(context, 1);
            List<String> calls = new ArrayList<>();
            methods.asConfigured(() -> {
                calls.add("outer");
                methods.asConfigured(() -> {
                    calls.add("inner");
                    body.run();
                });
            });

            assertThat(calls).containsExactly("outer", "inner", "outer", "inner");
        });
    }

    @Test
    void theTriesOfAnInnerTransactionAreNotRepeated() {
        runner.run(context -> {
            Methods methods = context.getBean(Methods.class);
            Conflicting body = new Conflicting(context, Integer.MAX_VALUE);
            assertThatThrownBy(() -> methods.asConfigured(() -> methods.inOwnTransaction(body)))
                    .isInstanceOf(ConcurrencyFailureException.class);

            assertThat(body.calls).isEqualTo(5);
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, ConcurrencyFailureException.class})
    void whatTheMethodThrowsIsNotRepeated(Class<? extends RuntimeException> thrown) {
        runner.run(context -> {
            List<String> calls = new ArrayList<>();
            assertThatThrownBy(() -> context.getBean(Methods.class).asConfigured(() -> {
                        calls.add("called");
                        throw thrown == IllegalStateException.class
                                ? new IllegalStateException("no")
                                : new ConcurrencyFailureException("no");
                    }))
                    .isInstanceOf(thrown)
                    .hasMessage("no");

            assertThat(calls).hasSize(1);
        });
    }

    static class Throwing {
        @JobsTransactional
        void call(Runnable body, Throwable thrown) throws Throwable {
            body.run();
            throw thrown;
        }
    }

    @JobsTransactional
    static class ThrowingClass {
        void call(Runnable body, Throwable thrown) throws Throwable {
            body.run();
            throw thrown;
        }
    }

    static Stream<Throwable> allThatMethodsThrow() {
        return Stream.of(
                new IllegalStateException("no"),
                new IOException("no"),
                new InterruptedException("no"),
                new AssertionError("no"),
                new Throwable("no"));
    }

    @ParameterizedTest
    @MethodSource("allThatMethodsThrow")
    void whateverTheMethodThrowsRollsItBack(Throwable thrown) {
        runner.withBean(Throwing.class).withBean(ThrowingClass.class).run(context -> {
            Database database = context.getBean(Database.class);
            for (String name : List.of("method", "class")) {
                Conflicting body = new Conflicting(context, 0);
                assertThatThrownBy(() -> {
                            if (name.equals("method")) {
                                context.getBean(Throwing.class).call(body, thrown);
                            } else {
                                context.getBean(ThrowingClass.class).call(body, thrown);
                            }
                        })
                        .isSameAs(thrown);

                byte[] written = database.run(tx -> tx.get(body.written).join());
                assertThat(written).as(name).isNull();
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 100)
    static class OwnOrder {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE + 1)
    static class Outside {}

    @ParameterizedTest
    @ValueSource(classes = {OwnOrder.class, Outside.class})
    void theApplicationMayOrderTheTransactions(Class<?> configuration) {
        runner.withUserConfiguration(configuration).run(context -> {
            Conflicting body = new Conflicting(context, 1);
            context.getBean(Methods.class).asConfigured(body);
            context.getBean(Repeated.class).call(body);

            assertThat(body.calls).isEqualTo(3);
        });
    }
}

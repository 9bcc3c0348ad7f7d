package dev.couchjobs.bridge.internal.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.bridge.StepContext;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.testing.TestClient;
import dev.couchjobs.fdb.testing.Callbacks;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class JavaActionTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    record User(String name, int age) {}

    private final ManualTimers timers = new ManualTimers();
    private final CountDownLatch never = new CountDownLatch(1);
    private final CompletableFuture<String> interrupted = new CompletableFuture<>();

    @Test
    void aHandlerGetsItsDataAndSaysSomething() throws InterruptedException {
        ActionResult result = run(step -> {
            User user = step.data(User.class);
            return Optional.of(user.name() + " is " + user.age() + " on " + step.node() + " in " + step.documentId()
                    + ", step " + step.step() + ", try " + step.attempt());
        });

        assertThat(result.success()).isTrue();
        assertThat(result.output()).isEqualTo("Ann is 7 on alpha in job-1, step 2, try 3");
        timers.awaitNone();
    }

    @Test
    void dataOfAnotherTypeFailsForGood() {
        ActionResult result = run(step -> Optional.of("" + step.data(int[].class).length));

        assertThat(result.isFinal()).isTrue();
        assertThat(result.reason().orElseThrow()).startsWith("data: not a int[]: ");
    }

    @Test
    void whatAHandlerThrowsIsAFailureThatMayBeTriedAgain() {
        ActionResult result = run(step -> {
            throw new IllegalStateException("no luck");
        });

        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isFalse();
        assertThat(result.reason()).hasValue("no luck");
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void whateverAHandlerThrowsFailsTheTry(String what) {
        ActionResult result = run(step -> {
            throw sneaky(Objects.requireNonNull(Callbacks.THROWABLES.get(what)).get());
        });

        assertThat(result.success()).isFalse();
        assertThat(result.isFinal()).isFalse();
        assertThat(result.reason()).isNotEmpty();
    }

    static Set<String> throwables() {
        return Callbacks.THROWABLES.keySet();
    }

    @SuppressWarnings("unchecked") // to throw what the compiler does not see
    private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void anErrorWithoutAMessageIsToldByItsName() {
        ActionResult result = run(step -> {
            throw new StackOverflowError();
        });

        assertThat(result.reason()).hasValue("java.lang.StackOverflowError");
    }

    @Test
    void aHandlerCanSayThatNoOtherTryWouldHelp() {
        ActionResult result = run(step -> {
            throw new PermanentFailureException("no such user");
        });

        assertThat(result.isFinal()).isTrue();
        assertThat(result.reason()).hasValue("no such user");
    }

    @Test
    void aHandlerThatTakesTooLongIsInterruptedAndMayBeTriedAgain() throws Exception {
        CompletableFuture<ActionResult> result = start(this::waitForInterrupt);
        timers.fire(LIMIT);

        assertThat(result.join().success()).isFalse();
        assertThat(result.join().isFinal()).isFalse();
        assertThat(result.join().reason()).hasValue("it took longer than 5 s and was interrupted");
    }

    @Test
    void aHandlerThatDoesNotHeedAnInterruptIsNotTriedAgain() throws Exception {
        CompletableFuture<ActionResult> result = start(step -> {
            waitForInterrupt(step);
            never.await();
            return Optional.empty();
        });
        timers.fire(LIMIT);
        interrupted.join();
        timers.fire(JavaAction.GRACE);

        assertThat(result.join().isFinal()).isTrue();
        assertThat(result.join().reason().orElseThrow()).contains("has not ended", "not tried again");
        never.countDown();
    }

    @Test
    void aCancelledHandlerIsInterrupted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<ActionResult> result = start(step -> {
            begun.countDown();
            return waitForInterrupt(step);
        });
        awaitUninterruptibly(begun);
        result.cancel(true);

        assertThat(interrupted.join()).isEqualTo("interrupted");
        assertThat(result.join().success()).isFalse();
        timers.awaitNone();
    }

    @Test
    void aCancelledHandlerIsWaitedForUntilItHasEnded() throws Exception {
        CompletableFuture<ActionResult> result = start(step -> {
            waitForInterrupt(step);
            never.await();
            return Optional.empty();
        });
        result.cancel(true);
        interrupted.join();
        assertThat(result).isNotDone();

        never.countDown();
        assertThat(result.join().reason()).hasValue("it was cancelled and was interrupted");
    }

    @Test
    void aHandlerThatNobodyHasRegisteredIsAnErrorThatNamesTheNearest() {
        ActionResult result = new Actions(
                        ShellSettings.off(),
                        HttpSettings.off(),
                        Map.of("create-user", step -> Optional.empty(), "remove", step -> Optional.empty()),
                        Map.of(),
                        timers.environment(),
                        TestClient.THREADS)
                .of(new ActionPlan.Java("createUser", data()))
                .run(new ActionContext("job-1", 0, "alpha", 1, Optional.empty()))
                .join();

        assertThat(result.isFinal()).isTrue();
        assertThat(result.reason())
                .hasValue("no handler of the name 'createUser' is registered on this node; did you mean"
                        + " \"create-user\"?");
    }

    private Optional<String> waitForInterrupt(StepContext step) {
        try {
            never.await();
        } catch (InterruptedException e) {
            interrupted.complete("interrupted");
        }
        return Optional.of("done with " + step.step());
    }

    private ActionResult run(StepHandler handler) {
        return start(handler).join();
    }

    private CompletableFuture<ActionResult> start(StepHandler handler) {
        return new Actions(
                        ShellSettings.off(),
                        HttpSettings.off(),
                        Map.of("test", handler),
                        Map.of(),
                        timers.environment(),
                        TestClient.THREADS)
                .of(new ActionPlan.Java("test", data()))
                .run(new ActionContext("job-1", 2, "alpha", 3, Optional.of(LIMIT)));
    }

    private static JsonNode data() {
        return JsonMapper.shared().readTree("{\"name\": \"Ann\", \"age\": 7}");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of topics. */
class TopicsBrowserTest {
    private static final String ATTACK = "<img src=x onerror=alert(1)>";

    private static TestServer server;
    private static Browser browser;

    @BeforeAll
    static void start() {
        server = TestServer.forEverything();
        server.put("/v1/topics/orders", "{'partitions': 2, 'maxAge': 'P7D'}");
        for (int i = 0; i < 30; i++) {
            append("{'value': {'item': 'lamp " + i + "'}, 'key': '" + ATTACK + "', 'partition': 0}");
        }
        append("{'value': '" + ATTACK + "', 'partition': 1}");
        server.post("/v1/topics/orders/groups/packers/poll", "{'limit': 10, 'partition': 0}");
        server.post("/v1/topics/orders/groups/billing/poll", "{}");
        browser = new Browser(server.uri("/"));
    }

    private static void append(String message) {
        server.post("/v1/topics/orders/messages", "{'messages': [" + message + "]}");
    }

    @AfterAll
    static void end() {
        browser.close();
        server.close();
    }

    @BeforeEach
    void look() {
        browser.look(Accessibility.WIDE, "light");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ui/topics",
                "/ui/topic?name=orders",
                "/ui/topic?name=orders&partition=1",
                "/ui/group?topic=orders&name=packers"
            })
    void everyPageIsAccessibleInBothThemesAndOnBothWidths(String path) {
        browser.console();
        browser.open(path);
        browser.sees("orders");
        browser.settles();
        Accessibility.check(browser, path);
        assertThat(browser.console()).as(path).isEmpty();
    }

    @Test
    void aTopicIsReachedFromTheMenuAndItsMessagesAreBrowsed() {
        browser.open("/");
        browser.click("Topics");
        browser.sees("orders", "7 d", "kB");
        browser.click("orders");
        browser.sees("lamp 0", "lamp 19", ATTACK, "packers", "billing", "Next page");
        browser.seesNoMore("lamp 20");
        browser.click("Next page");
        browser.sees("lamp 20", "lamp 29");
        browser.click("1", "[aria-label=Partitions]");
        browser.sees("Messages of partition 1", ATTACK);
    }

    @Test
    void aTopicSaysWhatItKeeps() {
        server.put("/v1/topics/prices", "{'partitions': 1, 'compactAfter': 'PT1H'}");
        server.post(
                "/v1/topics/prices/messages",
                "{'messages': [{'key': 'lamp', 'value': 'dear'}, {'key': 'lamp', 'deletion': true}]}");
        server.put("/v1/topics/tasks", "{'partitions': 1, 'consumedBy': ['packers']}");
        browser.open("/ui/topics");
        browser.sees("the last of each key, others for 1 h", "until consumed by packers");
        browser.click("prices");
        browser.sees("dear", "deletes its key");
        server.delete("/v1/topics/prices");
        server.delete("/v1/topics/tasks");
    }

    @Test
    void aGroupIsMovedAndItsLagIsShown() {
        browser.open("/ui/topic?name=orders");
        browser.sees("packers", "21");
        browser.click("Move packers");
        browser.fill("To", "latest");
        browser.click("Move", "dialog");
        browser.sees("packers is moved.");
        append("{'value': 1, 'partition': 1}");
        browser.seesLike("packers\\s+1\\s");
    }

    @Test
    void aGroupShowsWhichConsumersHoldItsPartitions() {
        CompletableFuture<Boolean> handled = new CompletableFuture<>();
        Topic<byte[]> tasks = Topic.of("tasks", byte[].class);
        server.put("/v1/topics/tasks", "{'partitions': 3}");
        server.post("/v1/topics/tasks/messages", "{'messages': [{'value': 1, 'partition': 2}]}");
        ConsumerGroup<byte[]> group = server.topics.group(tasks, "readers");
        try (TopicConsumer consumer = group.consumer()
                .handle(messages -> handled.complete(true))
                .start()) {
            handled.join();
            browser.open("/ui/topic?name=tasks");
            browser.sees("1 consumer");
            browser.click("readers");
            browser.seesLike("Consumers(?s:.*)" + Pattern.quote(consumer.name()) + "\\s+0, 1, 2\\s+\\d+(\\.\\d)? m?s");
        }
        browser.sees("No consumer runs.");
        browser.click("tasks");
        browser.sees("Ever appended");
        server.delete("/v1/topics/tasks");
    }

    @Test
    void withoutATopicTheMenuHasNoPageForThem() {
        try (TestServer without = TestServer.forEverything();
                Browser other = new Browser(without.uri("/"))) {
            other.open("/ui/topics");
            other.sees("Workers", "There is no topic.");
            assertThat(other.run("return document.querySelector('nav').innerText.includes('Topics')"))
                    .isEqualTo(false);
        }
    }
}

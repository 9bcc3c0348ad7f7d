package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of a bridge, with a real one. */
class BridgeBrowserTest {

    private static TestServer server;
    private static TestBridge bridge;
    private static Browser browser;

    @BeforeAll
    static void start() {
        server = TestServer.forEverything();
        bridge = TestBridge.start(server);
        bridge.put(
                "<b>thumbnail",
                "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'true'}, {'target': 'reg_b', 'do': 'true'}]}");
        bridge.put("wrong", "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'exit 3'}]}");
        bridge.awaitDocument(
                "wrong", document -> document.get("state").stringValue().equals("failed"));
        bridge.awaitDocument(
                "%3Cb%3Ethumbnail", document -> document.get("step").intValue() == 1);
        browser = new Browser(server.uri("/"));
    }

    @AfterAll
    static void end() {
        browser.close();
        bridge.close();
        server.close();
    }

    @BeforeEach
    void look() {
        browser.look(Accessibility.WIDE, "light");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ui/bridge",
                "/ui/bridge-node?name=reg_a",
                "/ui/bridge-document?name=reg_a&id=wrong",
                "/ui/bridge-document?name=reg_a&id=%3Cb%3Ethumbnail"
            })
    void everyPageIsAccessibleInBothThemesAndOnBothWidths(String path) {
        browser.console();
        browser.open(path);
        browser.sees("reg_a");
        browser.settles();
        Accessibility.check(browser, path);
        assertThat(browser.console()).as(path).isEmpty();
    }

    @Test
    void aNodeIsReachedFromTheMenuAndItsWorkersChange() {
        browser.open("/");
        browser.click("Bridge");
        browser.sees("Nodes", "running", "0 of 1");
        browser.click("reg_a");
        browser.sees("Documents", "<b>thumbnail", "wrong", "Heap", "revision 0");

        browser.click("Change the settings of reg_a");
        browser.fill("Workers", "3");
        browser.click("Change", "dialog");
        browser.sees("reg_a is to apply revision 1.", "0 of 3");

        browser.click("Change the settings of reg_a");
        browser.fill("Database", "No Database");
        browser.click("Change", "dialog");
        browser.sees("/database");
        browser.click("Close", "dialog");
    }

    @Test
    void aDocumentShowsItsStepsAndWhatItWaitsFor() {
        browser.open("/ui/bridge-node?name=reg_a");
        browser.click("<b>thumbnail");
        browser.sees("step 1, for reg_b, is not for this node", "finished", "Node: reg_a, worker: ");
        browser.open("/ui/bridge-document?name=reg_a&id=wrong");
        browser.sees("the job has failed", "exit status 3");
    }

    @Test
    void withoutABridgeTheMenuHasNoPageForIt() {
        try (TestServer without = TestServer.forEverything();
                Browser other = new Browser(without.uri("/"))) {
            other.open("/ui/bridge");
            other.sees("Workers", "No bridge to CouchDB has reported.");
            assertThat(other.run("return document.querySelector('nav').innerText.includes('Bridge')"))
                    .isEqualTo(false);
        }
    }
}

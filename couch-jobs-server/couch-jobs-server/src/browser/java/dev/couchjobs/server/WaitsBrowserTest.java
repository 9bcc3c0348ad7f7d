package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.TimeoutException;

/** A wait that fails says what it has waited for, and not what another one has. */
class WaitsBrowserTest {
    private static final Duration SHORT = Duration.ofMillis(200);

    @Test
    void eachWaitSaysWhatItHasNotSeen() {
        Map<String, Consumer<Browser>> waits = new LinkedHashMap<>();
        waits.put("some text", page -> page.sees("some text"));
        waits.put("some [p]attern", page -> page.seesLike("some [p]attern"));
        waits.put("no more of words", page -> page.seesNoMore("words"));
        waits.put("an element #some", page -> page.find("#some"));
        waits.put("a control named Some within body", page -> page.control("Some"));
        waits.put("a control to click named Any within body", page -> page.click("Any"));
        waits.put("a control to click named Other within main", page -> page.click("Other", "main"));
        waits.put("a page that has been read", Browser::settles);
        waits.put("a figure Jobs like 7", page -> page.seesFigure("Jobs", "7"));
        waits.put("the focus on Field", page -> page.focuses("Field"));
        try (Browser browser = new Browser(URI.create("data:text/html,Only%20words."), SHORT)) {
            browser.open("data:text/html,Only%20words.");
            waits.forEach((expected, wait) -> {
                String message = String.valueOf(
                        assertThrows(TimeoutException.class, () -> wait.accept(browser), expected)
                                .getMessage());
                assertThat(message).contains(expected + " in\nOnly words.");
                assertThat(waits.keySet())
                        .filteredOn(other -> message.contains(other + " in\n"))
                        .containsExactly(expected);
            });
        }
    }
}

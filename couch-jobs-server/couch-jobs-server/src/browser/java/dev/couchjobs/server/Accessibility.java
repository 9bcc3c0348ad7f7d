package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** What every page has to be, in both themes and on both widths. */
final class Accessibility {
    static final int WIDE = 1280;
    static final int NARROW = 400;

    private Accessibility() {}

    /** Requires that the page that is open is accessible, and not wider than the screen. */
    static void check(Browser browser, String path) {
        for (int width : List.of(WIDE, NARROW)) {
            String look = path + " at " + width;
            browser.look(width, "light");
            assertThat(browser.accessibilityProblems()).as(look).isEmpty();
            assertThat(browser.run("return document.documentElement.scrollWidth - innerWidth"))
                    .as("wider than the screen: " + look)
                    .isEqualTo(0L);
            browser.look(width, "dark");
            assertThat(browser.contrastProblems()).as(look + ", dark").isEmpty();
        }
    }
}

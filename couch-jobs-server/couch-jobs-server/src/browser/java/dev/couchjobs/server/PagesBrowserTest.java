package dev.couchjobs.server;

import static dev.couchjobs.server.Scene.job;
import static dev.couchjobs.server.Scene.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.OutputType;

/** The dashboard's pages as a reader sees them: in Chromium, on a server with jobs in all states. */
@Timeout(300)
class PagesBrowserTest {
    private static final String ATTACK = Scene.ATTACK;
    private static final int WIDE = Accessibility.WIDE;
    private static final Path IMAGES = Path.of(System.getProperty("pictures", "target/pictures"));

    private static TestServer server;
    private static Scene scene;
    private static Browser browser;

    @BeforeAll
    static void start() {
        server = TestServer.forEverything();
        scene = Scene.play(server);
        browser = new Browser(server.uri("/"));
    }

    @AfterAll
    static void end() {
        browser.close();
        scene.close();
        server.close();
    }

    @BeforeEach
    void look() {
        browser.look(WIDE, "light");
    }

    /** Each page, with what the reader sees on it. */
    static Stream<Arguments> pages() {
        String evil = Scene.EVIL.name();
        return Stream.of(
                Arguments.of(
                        "/", List.of("Ended per second", "Oldest due", "Latency", evil, "no such mailbox", "mail-eu", "reader")),
                Arguments.of(page("jobs", "type", Scene.MAIL.name()), List.of("newsletter-1", "bounce-1", "finished")),
                Arguments.of(
                        page("jobs", "type", Scene.MAIL.name(), "status", "failed"),
                        List.of("bounce-1", "no such mailbox")),
                Arguments.of(page("jobs", "type", evil, "tag", ATTACK), List.of("pending " + ATTACK, "ok " + ATTACK)),
                Arguments.of(
                        job("bounce-1"),
                        List.of("failed", "550 no such mailbox", "timeout after 1500 ms", "nobody@invalid", "Retry")),
                Arguments.of(job("newsletter-send"), List.of("running", "812 of 2,400 sending to readers", "Cancel…")),
                Arguments.of(job("newsletter-thanks"), List.of("blocked", "Waits for", "newsletter-2")),
                Arguments.of(job("newsletter-1"), List.of("Waited for by", "newsletter-thanks", "newsletter-november")),
                Arguments.of(job("wrong-address"), List.of("cancelled", "the address has a typo")),
                Arguments.of(job("too-late"), List.of("expired")),
                Arguments.of(job("welcome-1"), List.of("succeeded", "\"tracking\": " + Scene.DIGITS, "messageId")),
                Arguments.of(
                        page("job", "type", evil, "id", "pending " + ATTACK),
                        List.of("Limit key", "Turn key", "Sequence", "Batch", "Tags", ATTACK.replace("\"", "\\\""))),
                Arguments.of(page("job", "type", evil, "id", "ok " + ATTACK), List.of("succeeded", "Log", "rendered")),
                Arguments.of(page("job", "type", evil, "id", "failed " + ATTACK), List.of("Exception: " + ATTACK)),
                Arguments.of(page("job", "type", evil, "id", "cancelled " + ATTACK), List.of("cancelled")),
                Arguments.of(page("types"), List.of("monthly-report", "the printer is out of paper", evil, ATTACK)),
                Arguments.of(
                        page("type", "name", Scene.MAIL.name()),
                        List.of("Dead letters", "bounce-2", "Status index", "scheduled", "No row is in quarantine")),
                Arguments.of(
                        page("type", "name", Scene.REPORT.name()),
                        List.of("paused", "the printer is out of paper", "10 starts per 1 min", "The type has none")),
                Arguments.of(
                        page("type", "name", evil, "key", ATTACK),
                        List.of("Slots taken", "failed " + ATTACK, "Resume", "Weight")),
                Arguments.of(page("type", "name", "damaged"), List.of("Quarantine", "bad " + ATTACK, "Restore")),
                Arguments.of(page("schedules"), List.of("month-end", "0 6 1 * *", "heartbeat-mail", "paused", ATTACK)),
                Arguments.of(
                        page("schedules", "name", "month-end"),
                        List.of("Its next times", "-01 0", "month-end@20", "Actions")),
                Arguments.of(page("schedules", "name", ATTACK), List.of("Its next times", ATTACK + "@20")),
                Arguments.of(
                        page("batches", "name", "newsletter-november"), List.of("1 of 13 jobs ended", "Outstanding")),
                Arguments.of(page("batches", "name", ATTACK), List.of("0 of 1 job ended", ATTACK)),
                Arguments.of(page("batches"), List.of("Name of the batch")),
                Arguments.of(page("workers"), List.of("mail-eu", "0 of 8", "Paused names", "worker " + ATTACK)),
                Arguments.of(page("nothing"), List.of("There is no such page")));
    }

    /** In both themes, and on both widths: seen, accessible, within the screen; nothing is run or refused. */
    @ParameterizedTest
    @MethodSource("pages")
    void everyPageShowsWhatThereIs(String path, List<String> texts) {
        browser.console();
        browser.open(path);
        browser.sees(texts.toArray(String[]::new));
        browser.settles();
        Accessibility.check(browser, path);
        assertThat(browser.run("return window.attacked")).isNull();
        assertThat(browser.run("return document.querySelectorAll('#app script, #app img[src=x]').length"))
                .isEqualTo(0L);
        assertThat(browser.console()).as(path).allMatch(line -> line.contains("/v1/"));
    }

    @Test
    void theOverviewCountsAndDraws() throws IOException {
        browser.open("/");
        browser.sees("Overview", "Types", "Failures by error", "PermanentFailureException: # no such mailbox");
        browser.find(".canvas canvas");
        for (int i = 1; i <= 60; i++) {
            scene.add(NewJob.of(Scene.THUMBNAIL, (Object) Map.of("image", "new-" + i)));
        }
        browser.sees("100");
        browser.seesFigure("Ended per second", "[1-9].*|0[.]\\d+");
        browser.seesLike("Wait until the first claim\\s+p50 \\d[\\d.]* (ms|s)\\s+p95 \\d");
        browser.seesLike("Run time of an attempt\\s+p50 \\d[\\d.]* (ms|s)\\s+p95 \\d");
        browser.choose("Type of the charts", Scene.REPORT.name());
        browser.seesLike("Wait until the first claim\\s+p50 …\\s+p95 …");
        assertThat(browser.url()).endsWith("?type=monthly-report");
    }

    @Test
    void manyTypesAreShownInPages() {
        try (TestServer many = TestServer.forEverything();
                Browser reader = new Browser(many.uri("/"))) {
            for (int i = 0; i < 250; i++) {
                NewJob<Object> job = NewJob.of(JobType.of("type-" + (1000 + i), Object.class, Object.class), i);
                many.jobs.add(many.database, job).join();
            }
            reader.look(WIDE, "light");
            reader.open("/");
            reader.sees("250 types", "type-1000", "type-1099", "Next page");
            reader.seesFigure("Pending", "250");
            assertThat(reader.run("return document.querySelectorAll('[aria-labelledby=types] tbody tr').length"))
                    .isEqualTo(100L);
            // With 250 types a read begins 2.5 s or more after the one before.
            assertThat(reader.run("const all = performance.getEntriesByType('resource')"
                            + ".filter((one) => one.name.includes('/v1/type'));"
                            + "return all.filter((one) => one.startTime < all[0].startTime + 2000).length"))
                    .as("requests of the first read of the types")
                    .isEqualTo(1L);
            reader.click("Next page");
            reader.sees("type-1199");
            reader.find("[aria-labelledby=types] tbody tr:nth-child(100)");
            reader.open(page("types"));
            reader.sees("The first 200 of 250.");
            reader.fill("Name contains", "1249");
            reader.sees("1 type", "type-1249");
        }
    }

    @Test
    void thePagesHavePictures() throws IOException {
        try (TestServer shown = TestServer.forEverything();
                Scene play = Scene.forPeople(shown);
                Browser camera = new Browser(shown.uri("/"))) {
            camera.look(WIDE, "light");
            camera.open("/");
            for (int i = 1; i <= 12; i++) {
                int samples = camera.samples();
                for (int job = 0; job < 10 * (i % 4); job++) {
                    play.add(NewJob.of(Scene.THUMBNAIL, (Object) Map.of("image", i + "-" + job)));
                }
                play.add(NewJob.of(Scene.THUMBNAIL, (Object) Map.of("image", "last")));
                camera.seesSamples(samples + 1);
            }
            picture(camera.screenshot(), "dashboard-overview.png");
            camera.look(WIDE, "dark");
            camera.open(job("bounce-1"));
            camera.sees("550 no such mailbox", "timeout after 1500 ms", "rendered");
            picture(camera.screenshot(), "dashboard-job.png");
            camera.look(WIDE, "light");
            camera.open(job("newsletter-thanks"));
            camera.sees("Waits for", "Waited for by");
            picture(
                    camera.find("[aria-labelledby=graph]").getScreenshotAs(OutputType.BYTES), "dashboard-graph.png");
            camera.open(page("jobs", "type", Scene.MAIL.name(), "tag", "november"));
            camera.click("Select newsletter-1");
            camera.click("Select newsletter-11");
            camera.sees("2 jobs selected");
            picture(
                    camera.find("[aria-labelledby=list]").getScreenshotAs(OutputType.BYTES), "dashboard-selected.png");
        }
    }

    private static void picture(byte[] picture, String name) throws IOException {
        Files.createDirectories(IMAGES);
        Files.write(IMAGES.resolve(name), picture);
    }
}

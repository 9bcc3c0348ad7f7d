package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;

/** The dashboard as a reader sees and uses it: in Chromium, on a server with jobs in all states. */
@Timeout(300)
class DashboardBrowserTest {
    private static final String ATTACK = Scene.ATTACK;
    private static final int WIDE = Accessibility.WIDE;
    private static final int NARROW = Accessibility.NARROW;
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

    private static String page(String name, String... parameters) {
        StringBuilder url = new StringBuilder("/ui/").append(name);
        for (int i = 0; i < parameters.length; i += 2) {
            url.append(i == 0 ? '?' : '&').append(parameters[i]).append('=');
            url.append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        return url.toString();
    }

    private static String job(String id) {
        return page("job", "type", Scene.MAIL.name(), "id", id);
    }

    private static Instant later() {
        return Instant.now().plus(Duration.ofHours(1));
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

    @Test
    void theGraphOfAJobLeadsToItsNeighbours() {
        browser.open(job("newsletter-2"));
        browser.sees("Waited for by", "newsletter-thanks", "batch");
        assertThat(browser.run("return document.querySelectorAll('.graph path').length"))
                .isEqualTo(2L);
        assertThat(browser.find(".graph a[href*=thanks] .is-blocked").getText()).isEqualTo("blocked");
        browser.run("window.notLoadedAgain = true");
        browser.find(".graph a[href*=thanks]").click();
        browser.sees("Waits for", "newsletter-1", "newsletter-2", "blocked");
        assertThat(browser.run("return [...document.querySelectorAll('.graph a')].every(one =>"
                        + " one.querySelector('.graph-status text').textContent !== '')"))
                .isEqualTo(true);
        assertThat(browser.url()).endsWith("ui/job?type=send-mail&id=newsletter-thanks");
        assertThat(browser.run("return window.notLoadedAgain")).isEqualTo(true);
        browser.click("newsletter-1", "[aria-labelledby=dependencies]");
        browser.sees("Waited for by");
    }

    @Test
    void aJobIsCancelledWithAReason() {
        scene.add(NewJob.of(Scene.MAIL, (Object) "x").id("to-cancel").at(later()));
        browser.open(job("to-cancel"));
        browser.click("Cancel…");
        browser.sees("Cancel to-cancel?", "The job does not run.");
        browser.focuses("Reason");
        browser.press("no longer wanted");
        browser.click("Cancel the job");
        browser.sees("to-cancel is cancelled.", "no longer wanted");
        assertThat(scene.job(Scene.MAIL, "to-cancel").error()).contains("no longer wanted");
        assertThat(browser.text()).doesNotContain("Run now");
    }

    @Test
    void aJobIsRescheduledReprioritisedAndRemoved() {
        scene.add(NewJob.of(Scene.MAIL, (Object) "x").id("to-move").at(later()));
        browser.open(job("to-move"));
        browser.click("Reprioritise…");
        browser.fill("Priority", "-7");
        browser.click("Reprioritise");
        browser.sees("to-move has priority -7.");
        assertThat(scene.job(Scene.MAIL, "to-move").priority()).isEqualTo(-7);

        browser.click("Reschedule…");
        browser.run("document.querySelector('dialog input').value = '2040-01-31T08:00:00'");
        browser.click("Reschedule");
        browser.sees("to-move has another time.");
        assertThat(scene.job(Scene.MAIL, "to-move").scheduledTime())
                .hasValueSatisfying(time -> assertThat(time.toString()).startsWith("2040-01-3"));

        browser.click("Remove…");
        browser.click("Remove the job");
        browser.sees("to-move is removed.");
        assertThat(browser.url()).contains("/ui/jobs?type=send-mail");
        assertThat(scene.find(Scene.MAIL, "to-move")).isEmpty();
    }

    @Test
    void aJobRunsNow() {
        scene.add(NewJob.of(Scene.MAIL, (Object) "x").id("to-run").at(later()));
        browser.open(job("to-run"));
        browser.click("Run now");
        browser.click("Run now", "dialog");
        browser.sees("to-run is due.", "succeeded", "messageId");
    }

    @Test
    void aDeadLetterIsRetried() {
        scene.add(NewJob.of(Scene.THUMBNAIL, (Object) Map.of("fail", true)).id("bad-image"));
        scene.awaitEnd(Scene.THUMBNAIL, "bad-image");
        browser.open(page("type", "name", Scene.THUMBNAIL.name()));
        browser.sees("bad-image");
        long before = scene.job(Scene.THUMBNAIL, "bad-image").claims();
        browser.click("Retry bad-image");
        browser.click("Retry", "dialog");
        browser.sees("bad-image is pending again.");
        browser.sees("bad-image");
        scene.awaitEnd(Scene.THUMBNAIL, "bad-image");
        assertThat(scene.job(Scene.THUMBNAIL, "bad-image").claims()).isGreaterThan(before);

        browser.click("Retry all…");
        browser.sees("Retry all 1 dead letter of thumbnail?");
        browser.click("Retry 1");
        browser.sees("1 job pending again.");
    }

    @Test
    void aTypeIsPausedWithAReasonAndResumed() {
        browser.open(page("type", "name", Scene.THUMBNAIL.name()));
        browser.click("Pause…");
        browser.focuses("Reason");
        browser.press("the disk is full " + ATTACK);
        browser.click("Pause");
        browser.sees("thumbnail is paused.", "the disk is full " + ATTACK);
        browser.click("Resume");
        browser.click("Resume", "dialog");
        browser.sees("thumbnail goes on.");
        browser.seesNoMore("the disk is full");
    }

    @Test
    void limitsAreSet() {
        browser.open(page("type", "name", Scene.THUMBNAIL.name()));
        browser.click("Limits…");
        browser.fill("Jobs that run at once", "5");
        browser.fill("Starts in a period", "100");
        browser.fill("Period in seconds", "2.5");
        browser.click("Set");
        browser.sees("The limits of thumbnail are set.", "100 starts per 2.5 s, in each window");

        browser.fill("Limit key", "tenant-1");
        browser.click("Show");
        browser.sees("tenant-1", "Slots taken");
        browser.click("Pause", ".inset");
        browser.click("Pause", "dialog");
        browser.sees("The key tenant-1 is paused.", "Paused: tenant-1");
        browser.click("Resume", ".inset");
        browser.click("Resume", "dialog");
        browser.sees("No key is paused.");
    }

    @Test
    void aRetentionIsStoredAndCleared() {
        browser.open(page("type", "name", Scene.THUMBNAIL.name()));
        browser.sees("set in code");
        browser.click("Retention…");
        browser.fill("Hours after the end", "36");
        browser.fill("Hours after the end, if they failed", "");
        browser.click("Set");
        browser.sees("The retention of thumbnail is set.", "1 d 12 h, failed jobs until removed; stored");
        browser.click("Clear retention…");
        browser.click("Clear", "dialog");
        browser.sees("The code sets the retention of thumbnail.", "set in code");
    }

    @Test
    void aStatusIndexIsCreatedWhereTheListNeedsIt() {
        browser.open(page("jobs", "type", Scene.REPORT.name(), "status", "paused"));
        browser.sees("The type has no status index.");
        browser.click("Create the status index");
        browser.click("Create");
        browser.click("Create", "dialog");
        browser.sees("monthly-report has a status index.");
        browser.open(page("jobs", "type", Scene.REPORT.name(), "status", "paused"));
        browser.sees("report-1", "report-5");
        browser.open(page("type", "name", Scene.REPORT.name()));
        browser.click("Drop");
        browser.click("Drop", "dialog");
        browser.sees("The type has none.");
    }

    @Test
    void aScheduleShowsItsFiringsAndRunsNow() {
        scene.schedule(NewJob.of(Scene.MAIL, (Object) Map.of("to", "daily@example.org")), "daily-mail");
        browser.open(page("schedules"));
        browser.click("daily-mail");
        browser.sees("Its next times", "in 23 h", "in 4 d");
        assertThat(browser.run("return document.querySelectorAll('[aria-label=\"Next firings\"] li').length"))
                .isEqualTo(5L);
        browser.click("Run now: daily-mail");
        browser.click("Run now", "dialog");
        browser.sees("daily-mail runs now.", "succeeded");
    }

    @Test
    void schedulesBatchesAndWorkersAreControlled() {
        browser.open(page("schedules"));
        browser.click("Pause month-end");
        browser.click("Pause", "dialog");
        browser.sees("month-end is paused.");
        browser.control("Resume month-end");

        browser.open(page("batches", "name", "newsletter-november"));
        browser.click("Seal");
        browser.click("Seal", "dialog");
        browser.sees("newsletter-november is sealed.", "sealed");

        browser.open(page("workers"));
        browser.click("Pause the workers images");
        browser.click("Pause", "dialog");
        browser.sees("The workers images are paused.");
        browser.click("Resume the workers images");
        browser.click("Resume", "dialog");
        browser.sees("The workers images claim jobs again.");
    }

    /** After a clock was set wrong: jobs behind a time that none of the others has. */
    @Test
    void jobsThatAreDueAfterATimeAreRunNow() {
        Instant farOff = Instant.parse("2050-01-01T00:00:00Z");
        for (int i = 1; i <= 2; i++) {
            scene.add(NewJob.of(Scene.MANY, (Object) i).id("far-" + i).tags("off").at(farOff));
        }
        scene.add(NewJob.of(Scene.MANY, (Object) 3).id("near").tags("off").at(later()));
        browser.open(page("jobs", "type", Scene.MANY.name(), "tag", "off"));
        browser.sees("far-2");
        browser.click("Change all…");
        browser.choose("Change", "Run now");
        browser.run("document.querySelector('dialog input').value = '2049-06-01T00:00:00'");
        browser.click("Count");
        browser.sees("Run now: 2 jobs of many?");
        browser.click("Run now 2");
        browser.sees("2 jobs due.");
        assertThat(scene.job(Scene.MANY, "near").scheduledTime())
                .hasValueSatisfying(time -> assertThat(time).isBefore(farOff));
        assertThat(scene.job(Scene.MANY, "far-1").scheduledTime()).isEmpty();
        assertThat(scene.job(Scene.MANY, "far-2").scheduledTime()).isEmpty();
    }

    @Test
    void allJobsOfAFilterAreChangedAfterACount() {
        for (int i = 1; i <= 3; i++) {
            scene.add(NewJob.of(Scene.MANY, (Object) i)
                    .id("bulk-" + i)
                    .tags("bulk")
                    .at(later()));
        }
        scene.add(NewJob.of(Scene.MANY, (Object) 4).id("not-bulk").at(later()));
        browser.open(page("jobs", "type", Scene.MANY.name(), "tag", "bulk"));
        browser.sees("bulk-3");
        browser.click("Change all…");
        browser.sees("Change the jobs of many that are listed by “bulk”");
        browser.choose("Change", "Cancel");
        browser.click("Count");
        browser.sees("Cancel: 3 jobs of many?");
        browser.fill("Reason", "too many");
        assertThat(scene.job(Scene.MANY, "bulk-1").state()).isEqualTo(JobState.PENDING);
        browser.click("Cancel 3");
        browser.sees("3 jobs cancelled.");
        assertThat(scene.job(Scene.MANY, "bulk-3").error()).contains("too many");
        assertThat(scene.job(Scene.MANY, "not-bulk").state()).isEqualTo(JobState.PENDING);

        browser.open(page("jobs", "type", Scene.MAIL.name(), "status", "scheduled"));
        browser.sees("newsletter-1");
        assertThat(browser.text()).doesNotContain("Change all…");
    }

    private static void looksWellOnASmallDarkScreen() {
        assertThat(browser.accessibilityProblems()).isEmpty();
        browser.look(NARROW, "dark");
        assertThat(browser.accessibilityProblems()).isEmpty();
        assertThat(browser.run("return document.documentElement.scrollWidth - innerWidth"))
                .isEqualTo(0L);
        browser.look(WIDE, "light");
    }

    @Test
    void jobsAreSelectedAndChanged() {
        for (int i = 1; i <= 4; i++) {
            scene.add(NewJob.of(Scene.MANY, (Object) i)
                    .id("pick-" + i)
                    .tags("pick")
                    .at(later()));
        }
        browser.open(page("jobs", "type", Scene.MANY.name(), "tag", "pick"));
        browser.sees("pick-4");
        assertThat(browser.text()).doesNotContain("selected");
        browser.control("Select pick-2").sendKeys(Keys.SPACE);
        browser.sees("1 job selected");
        browser.control("Select pick-3").sendKeys(Keys.SPACE);
        browser.sees("2 jobs selected");
        looksWellOnASmallDarkScreen();
        browser.click("Reprioritise: 2 jobs selected");
        browser.fill("Priority", "9");
        browser.click("Reprioritise 2");
        browser.sees("2 of 2 jobs reprioritised.");
        assertThat(scene.job(Scene.MANY, "pick-2").priority()).isEqualTo(9);
        assertThat(scene.job(Scene.MANY, "pick-4").priority()).isZero();

        browser.click("Select all jobs of this page");
        browser.sees("4 jobs selected");
        browser.click("Select pick-4");
        browser.click("Cancel: 3 jobs selected");
        browser.sees("Cancel: 3 jobs of many?");
        browser.fill("Reason", "picked " + ATTACK);
        browser.click("Cancel 3");
        browser.sees("3 of 3 jobs cancelled.");
        assertThat(scene.job(Scene.MANY, "pick-1").error()).contains("picked " + ATTACK);
        assertThat(scene.job(Scene.MANY, "pick-4").state()).isEqualTo(JobState.PENDING);
        browser.seesNoMore("selected");
    }

    @Test
    void aJobIsEnqueued() {
        browser.open(page("jobs", "type", Scene.MANY.name()));
        browser.click("Enqueue…");
        browser.sees("Enqueue a job");
        looksWellOnASmallDarkScreen();
        browser.fill("Data, as JSON", "{\"tracking\": " + Scene.DIGITS + ", ");
        browser.fill("Id", "written " + ATTACK);
        browser.fill("Priority", "4");
        browser.run("document.querySelector('dialog [name=at]').value = '2040-01-31T08:00:00'");
        browser.click("Enqueue", "dialog");
        browser.sees("The data is not JSON.");
        browser.fill("Data, as JSON", "{\"tracking\": " + Scene.DIGITS + ", \"text\": \"</script>\"}");
        browser.click("Enqueue", "dialog");
        browser.sees("written " + ATTACK + ": added.", "\"tracking\": " + Scene.DIGITS);
        assertThat(scene.job(Scene.MANY, "written " + ATTACK))
                .satisfies(job -> assertThat(job.priority()).isEqualTo(4))
                .satisfies(job -> assertThat(job.scheduledTime()).hasValueSatisfying(time -> assertThat(time.toString())
                        .startsWith("2040-01-3")));
        assertThat(browser.run("return window.attacked")).isNull();
    }

    @Test
    void aChangeElsewhereIsSeen() {
        scene.add(NewJob.of(Scene.MAIL, (Object) "x").id("elsewhere").at(later()));
        browser.open(job("elsewhere"));
        browser.sees("elsewhere", "pending");
        scene.cancel(Scene.MAIL, "elsewhere", "changed elsewhere");
        browser.sees("cancelled", "changed elsewhere");
    }

    @Test
    void pagesOfJobsFollowEachOther() {
        for (int i = 100; i < 160; i++) {
            scene.add(NewJob.of(Scene.MANY, (Object) i).id("many-" + i));
        }
        browser.open(page("jobs", "type", Scene.MANY.name(), "state", "pending"));
        browser.sees("many-100", "many-149", "Next page");
        assertThat(browser.text()).doesNotContain("many-150");
        browser.click("Next page");
        browser.sees("many-150", "many-159", "First page");
        browser.seesNoMore("many-149");
        assertThat(browser.url()).contains("state=pending").contains("after=");
        browser.back();
        browser.sees("many-100", "Next page");
    }

    /** Only the status index has the order of the ends. */
    @Test
    void jobsByStatusHaveTwoOrders() {
        scene.add(NewJob.of(Scene.MAIL, (Object) "x").id("cancelled-last").at(later()));
        scene.cancel(Scene.MAIL, "cancelled-last", "to see it first");
        browser.open(page("jobs", "type", Scene.MAIL.name(), "status", "cancelled"));
        browser.find("[aria-label=Jobs] tbody tr:first-child a[href*=wrong-address]");
        browser.choose("Order", "Last ones first");
        browser.find("[aria-label=Jobs] tbody tr:first-child a[href*=cancelled-last]");
        browser.open(page("jobs", "type", Scene.MAIL.name(), "order", "newest"));
        browser.sees("bounce-1", "newsletter-1");
        assertThat(browser.text()).doesNotContain("Order");
    }

    @Test
    void aReaderIsToldWhatTheRoleForbids() {
        try (TestServer readOnly = new TestServer(http -> http);
                Browser reader = new Browser(readOnly.uri("/"))) {
            readOnly.jobs
                    .add(readOnly.database, NewJob.of(Scene.MAIL, (Object) "x").id("a"))
                    .join();
            reader.look(WIDE, "light");
            reader.open(job("a"));
            reader.click("Cancel…");
            reader.click("Cancel the job");
            reader.sees("The caller may not do this.", "It needs the role operate.", "Ask an administrator");
            assertThat(reader.accessibilityProblems()).isEmpty();
            assertThat(readOnly.jobs
                            .getJobState(readOnly.database, Scene.MAIL, "a")
                            .join())
                    .isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aTokenIsAskedForAndSent() {
        Authenticator tokens =
                request -> CompletableFuture.completedFuture(Optional.ofNullable(request.getHeader("Authorization"))
                        .filter("Bearer secret"::equals)
                        .map(token -> Access.of("reader", Role.READ)));
        try (TestServer closed = new TestServer(http -> http.authenticator(tokens));
                Browser reader = new Browser(closed.uri("/"))) {
            closed.jobs
                    .add(closed.database, NewJob.of(Scene.MAIL, (Object) "x").id("a"))
                    .join();
            reader.look(WIDE, "light");
            reader.open(page("types"));
            reader.sees("The server does not know who calls.");
            reader.fill("Token", "secret");
            reader.click("Use the token");
            reader.sees("send-mail");
        }
    }

    /** The administrator's; every caller needs one. */
    private static String adminToken(TestServer server) {
        AccessToken.Wanted root =
                new AccessToken.Wanted("root", Set.of(Role.ADMIN), Optional.empty(), Optional.empty());
        return new AccessTokens(server.database, server.serverRows, InstantSource.system())
                .create(root)
                .join()
                .text();
    }

    @Test
    void tokensAreAddedRotatedAndRevoked() {
        try (TestServer closed = new TestServer(JobsHttp::tokens);
                Browser admin = new Browser(closed.uri("/"))) {
            admin.look(WIDE, "light");
            admin.open(page("tokens"));
            admin.fill("Token", adminToken(closed));
            admin.click("Use the token");
            admin.sees("root", "Access tokens");
            admin.control("Tokens");
            assertThat(admin.accessibilityProblems()).isEmpty();
            admin.click("Add…");
            admin.fill("Name", "reader");
            admin.fill("Types", "mail\n" + ATTACK);
            assertThat(admin.accessibilityProblems()).isEmpty();
            admin.click("Add", "dialog");
            admin.sees("The secret of reader", "It is shown this once.");
            String secret = String.valueOf(admin.find("#secret").getDomProperty("value"));
            assertThat(admin.accessibilityProblems()).isEmpty();
            String[] bearer = {"Authorization", "Bearer " + secret};
            assertThat(closed.get("/v1/types/mail", bearer).status()).isEqualTo(200);
            assertThat(closed.get("/v1/types/other", bearer).status()).isEqualTo(403);
            admin.click("Done");
            admin.sees("reader", ATTACK);
            assertThat(String.valueOf(admin.run("return document.documentElement.outerHTML")))
                    .doesNotContain(secret);
            admin.look(NARROW, "dark");
            assertThat(admin.contrastProblems()).isEmpty();
            assertThat(admin.run("return document.documentElement.scrollWidth - innerWidth"))
                    .isEqualTo(0L);
            admin.look(WIDE, "light");

            admin.click("Rotate reader");
            admin.fill("Minutes that the present one still holds", "0");
            admin.click("Rotate", "dialog");
            admin.sees("The secret of reader");
            assertThat(admin.find("#secret").getDomProperty("value")).isNotEqualTo(secret);
            assertThat(closed.get("/v1/types/mail", bearer).status()).isEqualTo(401);
            admin.press(Keys.ESCAPE);
            admin.click("Revoke reader");
            admin.click("Revoke", "dialog");
            admin.sees("reader is revoked.");
            admin.seesNoMore("mail");
        }
    }

    @Test
    void theMenuHasNoTokensForOthers() {
        try (TestServer closed = new TestServer(JobsHttp::tokens);
                Browser reader = new Browser(closed.uri("/"))) {
            String[] bearer = {"Authorization", "Bearer " + adminToken(closed)};
            String secret = closed.post("/v1/tokens", "{'name': 'jo', 'roles': ['read']}", bearer)
                    .body()
                    .get("token")
                    .stringValue();
            reader.look(WIDE, "light");
            reader.open(page("types"));
            reader.fill("Token", secret);
            reader.click("Use the token");
            reader.sees("No job was added yet.");
            assertThat(reader.text()).doesNotContain("Tokens");
            reader.open(page("tokens"));
            reader.sees("It needs the role admin.");
        }
    }

    @Test
    void everythingIsReachedByTheKeyboard() {
        browser.open(job("newsletter-3"));
        browser.sees("newsletter-3");
        browser.find("body").sendKeys(Keys.TAB);
        assertThat(browser.focused()).isEqualTo("Skip to the content");
        for (String name : List.of("couch-jobs", "Overview", "Jobs", "Types", "Schedules", "Batches", "Workers")) {
            browser.press(Keys.TAB);
            assertThat(browser.focused()).isEqualTo(name);
            assertThat(browser.run("return getComputedStyle(document.activeElement).outlineStyle"))
                    .isEqualTo("solid");
        }

        browser.control("Cancel…").sendKeys(Keys.ENTER);
        browser.sees("Cancel newsletter-3?");
        assertThat(browser.focused()).isEqualTo("Reason");
        browser.press(Keys.ESCAPE);
        browser.seesNoMore("Cancel newsletter-3?");
        assertThat(browser.focused()).as("the focus returns").isEqualTo("Cancel…");

        browser.find("body").sendKeys("/");
        browser.focuses("Id");
        browser.press("newsletter-4", Keys.ENTER);
        browser.sees("newsletter-4", "Reprioritise…");
        assertThat(browser.url()).endsWith("ui/job?type=send-mail&id=newsletter-4");
    }

    @Test
    void theFocusStaysOnAFilterThatIsChanged() {
        browser.open(page("jobs", "type", Scene.MAIL.name()));
        browser.sees("newsletter-1", "bounce-1");
        browser.choose("Show", "Running");
        browser.sees("newsletter-send");
        browser.seesNoMore("newsletter-1");
        assertThat(browser.focused()).isEqualTo("Show");
        assertThat(browser.url()).endsWith("ui/jobs?type=send-mail&state=running");

        browser.fill("Tag", "november");
        browser.press(Keys.ENTER);
        browser.sees("newsletter-12", "With the tag november");
        assertThat(browser.url()).endsWith("ui/jobs?type=send-mail&tag=november");
    }

    @Test
    void updatesArePausedAndGoOn() {
        scene.add(NewJob.of(Scene.MAIL, (Object) "x").id("unwatched").at(later()));
        browser.open(job("unwatched"));
        browser.sees("unwatched", "pending");
        browser.click("Updates: Live");
        browser.control("Updates: Paused");
        browser.quietly(() -> scene.cancel(Scene.MAIL, "unwatched", "while paused"));
        assertThat(browser.text()).doesNotContain("while paused");
        browser.click("Updates: Paused");
        browser.sees("while paused");
    }

    @ParameterizedTest
    @CsvSource({"dark, 'rgb(19, 21, 25)'", "light, 'rgb(245, 246, 248)'"})
    void theThemeIsChosenAndKept(String theme, String ground) {
        browser.look(WIDE, theme.equals("dark") ? "light" : "dark");
        browser.open(page("workers"));
        browser.choose("Colours", theme.equals("dark") ? "Dark" : "Light");
        assertThat(browser.run("return getComputedStyle(document.documentElement).backgroundColor"))
                .isEqualTo(ground);
        browser.open(page("types"));
        browser.sees("monthly-report");
        assertThat(browser.run("return getComputedStyle(document.documentElement).backgroundColor"))
                .isEqualTo(ground);
        browser.choose("Colours", "System");
    }
}

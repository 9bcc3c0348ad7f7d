package dev.couchjobs.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Chromium, without a window. */
final class Browser implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final String CONTROLS = "button, a[href], select, input, textarea";
    private static final int HEIGHT = 900;
    private static final String RUN_AXE = """
            const done = arguments[arguments.length - 1];
            const only = arguments[0];
            axe.run(document, only ? {runOnly: {type: 'rule', values: [only]}} : {}).then(
                (found) => done(found.violations.map((rule) => rule.id + ': '
                    + rule.nodes.map((node) => node.html + ' ' + node.failureSummary).join(' | '))),
                (error) => done(['axe: ' + error]));
            """;

    private static final String AXE = axe();

    private final ChromeDriver driver;
    private final URI root;
    private final Duration patience;

    Browser(URI root) {
        this(root, LONG);
    }

    /** @param patience how long a wait lasts */
    Browser(URI root, Duration patience) {
        this.root = root;
        this.patience = patience;
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(System.getProperty("chromium", "/usr/bin/chromium"));
        options.addArguments(
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-gpu");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(System.getProperty("chromedriver", "/usr/bin/chromedriver")))
                .build();
        driver = new ChromeDriver(service, options);
        driver.manage().timeouts().scriptTimeout(LONG);
    }

    /** The inner width, and the theme that the system asks for. */
    void look(int width, String theme) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
    }

    void open(String path) {
        driver.get(root.resolve(path).toString());
    }

    /**
     * {@return what a wait finds, once it is neither false nor null}
     *
     * @param expected what a wait that fails has not seen
     */
    private <T> T await(String expected, Supplier<? extends @Nullable T> find) {
        return new WebDriverWait(driver, patience, PAUSE)
                // The page renders while it is looked at.
                .ignoring(StaleElementReferenceException.class)
                .withMessage(() -> expected + " in\n" + text())
                .until(unused -> find.get());
    }

    /** {@return the text that the reader sees, when it contains all of these} */
    String sees(String... texts) {
        await(String.join(", ", texts), () -> {
            String seen = text();
            return List.of(texts).stream().allMatch(seen::contains);
        });
        return text();
    }

    /** Waits until a part of the text that the reader sees matches a pattern. */
    void seesLike(String pattern) {
        Pattern wanted = Pattern.compile(pattern);
        await(pattern, () -> wanted.matcher(text()).find());
    }

    void seesNoMore(String text) {
        await("no more of " + text, () -> !text().contains(text));
    }

    String text() {
        return String.valueOf(driver.executeScript("return document.body.innerText"));
    }

    WebElement find(String selector) {
        return await("an element " + selector, () -> driver.findElements(By.cssSelector(selector)).stream()
                .filter(WebElement::isDisplayed)
                .findFirst()
                .orElse(null));
    }

    /** A button or link, by what a screen reader says of it. */
    WebElement control(String name) {
        return control(name, "body");
    }

    /** A control within the element of a selector. */
    private WebElement control(String name, String within) {
        return await("a control named " + name + " within " + within, () -> find(name, within));
    }

    private @Nullable WebElement find(String name, String within) {
        return driver.findElements(By.cssSelector(within)).stream()
                .flatMap(part -> part.findElements(By.cssSelector(CONTROLS)).stream())
                .filter(element ->
                        element.isDisplayed() && element.getAccessibleName().equals(name))
                .findFirst()
                .orElse(null);
    }

    void click(String name) {
        click(name, "body");
    }

    void click(String name, String within) {
        await("a control to click named " + name + " within " + within, () -> {
            WebElement control = find(name, within);
            if (control != null) {
                control.click();
            }
            return control;
        });
    }

    void fill(String name, String value) {
        WebElement field = control(name);
        field.clear();
        field.sendKeys(value);
    }

    void choose(String name, String option) {
        new Select(control(name)).selectByVisibleText(option);
    }

    void back() {
        driver.navigate().back();
    }

    /** Waits until nothing is being read for the first time. */
    void settles() {
        await("a page that has been read", () -> driver.findElements(By.cssSelector("#app main"))
                        .size()
                        == 1
                && driver.findElements(By.cssSelector(".loading")).isEmpty());
    }

    /** Waits until a figure of the overview matches a pattern. */
    void seesFigure(String name, String pattern) {
        await("a figure " + name + " like " + pattern, () -> driver.findElements(By.cssSelector(".figure")).stream()
                .map(WebElement::getText)
                .anyMatch(text -> text.startsWith(name)
                        && text.substring(name.length()).strip().matches(pattern)));
    }

    /** {@return how many samples the charts have} */
    int samples() {
        return ((Number) driver.executeAsyncScript("const done = arguments[0];"
                        + " import('./assets/data.mjs').then((data) => done(data.samples.list.length))"))
                .intValue();
    }

    void seesSamples(int count) {
        await(count + " samples", () -> samples() >= count);
    }

    /** Does something while the page asks for nothing. */
    void quietly(Runnable action) {
        run("performance.clearResourceTimings()");
        Object before = requests();
        action.run();
        driver.executeAsyncScript("setTimeout(arguments[0], 3500)");
        if (!requests().equals(before)) {
            throw new AssertionError("The page has made requests: " + before + ", then " + requests());
        }
    }

    private Object requests() {
        return run("return performance.getEntriesByType('resource').length");
    }

    void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** {@return what a screen reader says of the element with the focus} */
    String focused() {
        WebElement element = driver.switchTo().activeElement();
        return element.getAccessibleName();
    }

    void focuses(String name) {
        await("the focus on " + name, () -> focused().equals(name));
    }

    Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    String url() {
        return driver.getCurrentUrl();
    }

    /** {@return what the console says, since it was asked for the last time} */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getLevel() + " " + entry.getMessage())
                .toList();
    }

    /** {@return the rules of accessibility that the page breaks} */
    List<String> accessibilityProblems() {
        return axe(null);
    }

    /** {@return the texts whose colour is too near to that of their ground} */
    List<String> contrastProblems() {
        return axe("color-contrast");
    }

    @SuppressWarnings("unchecked")
    private List<String> axe(@Nullable String rule) {
        if (Boolean.TRUE.equals(driver.executeScript("return !window.axe"))) {
            driver.executeScript(AXE);
        }
        return (List<String>) driver.executeAsyncScript(RUN_AXE, rule);
    }

    private static String axe() {
        try {
            return Files.readString(Path.of(System.getProperty("axe")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] screenshot() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    @Override
    public void close() {
        driver.quit();
    }
}

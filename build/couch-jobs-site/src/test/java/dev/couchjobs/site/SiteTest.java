package dev.couchjobs.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site of the project, and the sites of small projects that show what it does. */
class SiteTest {
    private static final Path PROJECT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Pattern REQUESTED = Pattern.compile("(?:src|<link[^>]*href)=\"(https?:[^\"]*)\"");
    private static final Pattern NAMED_PAGE = Pattern.compile("\\b(?:docs|rfc)/[\\w/.-]+\\.md\\b");

    @TempDir
    Path directory;

    private Path project;
    private Path sites;

    @BeforeEach
    void nameDirectories() {
        project = directory.resolve("project");
        sites = directory.resolve("sites");
    }

    @Test
    void noLinkOfTheProjectIsBroken() throws IOException {
        assertThat(Site.build(PROJECT, "1.0", sites)).isEmpty();
        assertThat(sites.resolve("1.0/index.html")).content().contains("<title>couch-jobs</title>");
        assertThat(sites.resolve("1.0/docs/images/dashboard-overview.png")).exists();
        assertThat(sites.resolve("1.0/api.html"))
                .content()
                .contains("<code>POST /v1/jobs</code>", "id=\"schema-Problem\"", "href=\"#schema-Problem\"");
        assertThat(requestedElsewhere()).isEmpty();
    }

    @Test
    void codeNamesPagesThatAreThere() throws IOException {
        List<String> missing = new ArrayList<>();
        List<Path> named = new ArrayList<>();
        for (Path file : codeAndSettings()) {
            for (MatchResult found :
                    NAMED_PAGE.matcher(Files.readString(file)).results().toList()) {
                named.add(file);
                if (!Files.exists(PROJECT.resolve(found.group()))) {
                    missing.add(PROJECT.relativize(file) + ": " + found.group());
                }
            }
        }
        assertThat(named).isNotEmpty();
        assertThat(missing).isEmpty();
    }

    @Test
    void brokenLinksAreToldWithTheirPage() throws IOException {
        page("README.md", "# Start\n[a](docs/gone.md) [b](docs/a.md#gone) [c](#gone) ![d](gone.png) [e](../x.md)");
        page("docs/a.md", "# A\n## A part\n[a](#a-part) [b](../README.md#start) [c](https://example.com/gone)");
        assertThat(build())
                .containsExactlyInAnyOrder(
                        "README.md: docs/gone.md",
                        "README.md: gone.png",
                        "README.md: ../x.md",
                        "index.html: docs/gone.md",
                        "index.html: gone.png",
                        "index.html: ../x.md",
                        "index.html: docs/a.html#gone",
                        "index.html: #gone");
    }

    @Test
    void headingsHaveTheAnchorsOfGitHub() throws IOException {
        page("README.md", "# `JobType`, and: more_of it\n## Same\n## Same\n[a](#jobtype-and-more_of-it) [b](#same-1)");
        assertThat(build()).isEmpty();
    }

    @Test
    void filesAndDirectoriesThatPagesLinkToAreShown() throws IOException {
        page("README.md", "# Start\n[code](lib/src/main/java/x/A.java) [list](docs/decisions) [none](lib) [x](d.json)");
        page("docs/decisions/1.md", "# 1. First & last");
        page("lib/src/main/java/x/A.java", "class A<T> {}");
        page("d.json", "{}");
        assertThat(build()).isEmpty();
        assertThat(site("index.html"))
                .contains("<a href=\"lib/src/main/java/x/A.java.html\">code</a>", "</a> none <a href=\"d.json\">x</a>");
        assertThat(site("lib/src/main/java/x/A.java.html")).contains("class A&lt;T&gt; {}");
        assertThat(site("docs/decisions/index.html")).contains("<li><a href=\"1.html\">1. First &amp; last</a></li>");
        assertThat(site("d.json")).isEqualTo("{}");
    }

    @Test
    void classesAreShownByJavadocWhereThereIsSome() throws IOException {
        page("README.md", "# Start\n[code](lib/src/main/java/x/A.java)");
        page("lib/src/main/java/x/A.java", "class A {}");
        Path jar =
                Files.createDirectories(project.resolve("lib/target/attached")).resolve("lib-1.0-javadoc.jar");
        try (OutputStream bytes = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (String name : List.of("index.html", "lib.module/x/A.html")) {
                zip.putNextEntry(new ZipEntry(name));
            }
        }
        assertThat(build()).isEmpty();
        assertThat(site("index.html"))
                .contains(
                        "<a href=\"javadoc/lib/lib.module/x/A.html\">code</a>",
                        "<a href=\"javadoc/lib/index.html\">Javadoc: lib</a>");
    }

    @Test
    void everyPageIsInTheContentsOfAll() throws IOException {
        page("README.md", "# Start\n[b](docs/b.md)");
        page("docs/a.md", "# Guide a");
        page("docs/b.md", "# Guide b");
        page("docs/decisions/0001-x.md", "# 1. Decided");
        page("docs/decisions/0002-y.md", "# 2. Decided, too");
        page("rfc/001-rows.md", "# Rows");
        page("lib/README.md", "# A library");
        assertThat(build()).isEmpty();
        assertThat(site("docs/a.html")
                        .replaceAll("(?s).*<nav|<[^>]*>", "")
                        .lines()
                        .filter(line -> !line.isBlank()))
                .containsSubsequence(
                        "Guides",
                        "Start",
                        "Guide b",
                        "Guide a",
                        "What is stored",
                        "Rows",
                        "Decisions",
                        "1. Decided",
                        "2. Decided, too",
                        "More",
                        "A library");
    }

    @Test
    void versionsLieBesideEachOther() throws IOException {
        page("README.md", "# Start");
        for (String version : List.of("0.9.0", "0.10.0", "0.10.0-SNAPSHOT")) {
            assertThat(Site.build(project, version, sites)).isEmpty();
        }
        assertThat(Files.readString(sites.resolve("index.html")))
                .containsSubsequence("0.10.0/index.html", "0.10.0-SNAPSHOT/index.html", "0.9.0/index.html");
        assertThat(Files.readString(sites.resolve("0.9.0/index.html")))
                .contains("href=\"../index.html\" title=\"Other versions\">0.9.0</a>");
    }

    private List<String> build() throws IOException {
        return Site.build(project, "1.0", sites);
    }

    private void page(String path, String text) throws IOException {
        Path file = project.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private String site(String path) throws IOException {
        return Files.readString(sites.resolve("1.0").resolve(path));
    }

    private List<String> requestedElsewhere() throws IOException {
        List<String> requested = new ArrayList<>();
        try (Stream<Path> files = Files.walk(sites)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".html"))
                    .filter(each -> !each.startsWith(sites.resolve("1.0/javadoc")))
                    .toList()) {
                REQUESTED.matcher(Files.readString(file)).results().forEach(found -> requested.add(found.group(1)));
            }
        }
        return requested;
    }

    private static List<Path> codeAndSettings() throws IOException {
        return Project.sources(PROJECT).stream()
                .filter(file -> {
                    String path = PROJECT.relativize(file).toString();
                    return path.matches(".*(\\.(java|toml|ts|py|mjs|yaml)|pom\\.xml)")
                            && !path.startsWith("build/couch-jobs-site/src/test");
                })
                .toList();
    }
}

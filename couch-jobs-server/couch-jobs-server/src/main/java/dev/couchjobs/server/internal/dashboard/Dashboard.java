package dev.couchjobs.server.internal.dashboard;

import dev.couchjobs.server.internal.http.Digests;
import dev.couchjobs.server.internal.http.EntityTags;
import dev.couchjobs.server.internal.http.Exchange;
import dev.couchjobs.server.internal.http.Gzip;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replies with the files of the dashboard: the page at {@code /} and {@code /ui/...}, the rest below {@code /assets/}.
 * They hold no data, so every caller may read them. All URLs in them are relative: the servlet, or a proxy before it,
 * may put them below any prefix.
 */
public final class Dashboard {
    private static final String FOLDER = "/dev/couchjobs/server/dashboard/";
    private static final String ASSETS = "/assets/";
    private static final String PAGES = "/ui/";

    /** A name has one dot, before its extension, so it cannot leave the folder. */
    private static final Pattern NAME = Pattern.compile("(?:[a-z-]+/){0,2}[A-Za-z-]+[.]([a-z]+)");

    private static final Map<String, String> CONTENT_TYPES = Map.of(
            "mjs", "text/javascript;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "svg", "image/svg+xml",
            "txt", "text/plain;charset=utf-8");

    /** Only files of this server are loaded, no text becomes HTML or script, and no other site shows the page. */
    private static final String POLICY = String.join(
            "; ",
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "img-src 'self' data:",
            "base-uri 'self'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'");

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            POLICY,
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cache-Control",
            "no-cache");

    private final String page = new String(read("index.html").orElseThrow(), StandardCharsets.UTF_8);
    private final Map<String, Reply> assets = new ConcurrentHashMap<>();

    /** The assets as gzip. */
    private final Map<String, Reply> compressed = new ConcurrentHashMap<>();

    /**
     * {@return the file that a request is for, or empty if its path belongs to the API}
     *
     * @throws ProblemException if there is no such file, or if the request is not to read it
     */
    public Optional<Reply> find(Exchange exchange) {
        String path = exchange.path();
        boolean isAsset = path.startsWith(ASSETS);
        if (!isAsset && !isPage(path)) {
            return Optional.empty();
        }
        if (!exchange.isHead() && !exchange.method().equals("GET")) {
            throw new ProblemException(Problem.of(405, "method-not-allowed", "The path does not take this method.")
                    .detail("It takes GET and HEAD.")
                    .header("Allow", "GET, HEAD"));
        }
        if (path.isEmpty()) {
            String uri = exchange.request().getRequestURI();
            return Optional.of(Reply.empty(308).with("Location", uri.substring(uri.lastIndexOf('/') + 1) + "/"));
        }
        Reply file = isAsset ? asset(path.substring(ASSETS.length())) : page(path);
        if (EntityTags.isKnown(exchange, file.headers().getOrDefault("ETag", ""))) {
            return Optional.of(new Reply(304, file.headers(), new byte[0]));
        }
        if (!Gzip.isTaken(exchange)) {
            return Optional.of(file);
        }
        return Optional.of(isAsset ? compressed.computeIfAbsent(path, unused -> Gzip.file(file)) : Gzip.file(file));
    }

    private static boolean isPage(String path) {
        return path.isEmpty() || path.equals("/") || path.startsWith(PAGES);
    }

    /** The page of a path, which leads from there to the place where the servlet is. */
    private Reply page(String path) {
        int depth = (int) path.chars().filter(letter -> letter == '/').count() - 1;
        String base = depth == 0 ? "./" : "../".repeat(depth);
        byte[] html = page.replace("<base href=\"./\">", "<base href=\"" + base + "\">")
                .getBytes(StandardCharsets.UTF_8);
        return reply("text/html;charset=utf-8", html);
    }

    private Reply asset(String name) {
        Reply known = assets.get(name);
        if (known != null) {
            return known;
        }
        Matcher parts = NAME.matcher(name);
        String contentType = parts.matches() ? CONTENT_TYPES.get(parts.group(1)) : null;
        Reply found = Optional.ofNullable(contentType)
                .flatMap(type -> read(name).map(content -> reply(type, content)))
                .orElseThrow(() -> new ProblemException(Problem.of(404, "no-such-file", "There is no such file.")
                        .detail("The dashboard is at the root of this server.")));
        assets.put(name, found);
        return found;
    }

    private static Reply reply(String contentType, byte[] content) {
        Map<String, String> headers = new LinkedHashMap<>(HEADERS);
        headers.put("Content-Type", contentType);
        headers.put("ETag", Digests.entityTag(content));
        return Gzip.varying(new Reply(200, headers, content));
    }

    private static Optional<byte[]> read(String name) {
        try (InputStream file = Dashboard.class.getResourceAsStream(FOLDER + name)) {
            return file == null ? Optional.empty() : Optional.of(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("The file " + name + " of the dashboard cannot be read.", e);
        }
    }
}

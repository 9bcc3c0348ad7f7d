package dev.couchjobs.bridge.internal.action;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The hosts to which requests may go. They are compared by the names in URLs; the operator of the name service is
 * responsible for their addresses.
 */
public final class HostAllowList {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final Pattern RULE =
            Pattern.compile("(?<wild>\\*\\.)?(?<host>[\\w.-]+|\\[[0-9a-fA-F:.]+])(:(?<port>\\*|[0-9]{1,5}))?");

    private final boolean isEverything;
    private final List<Rule> rules;

    private HostAllowList(boolean isEverything, List<Rule> rules) {
        this.isEverything = isEverything;
        this.rules = rules;
    }

    /** {@return a list that allows no host} */
    public static HostAllowList none() {
        return new HostAllowList(false, List.of());
    }

    /**
     * Parses rules.
     *
     * @param rules such as {@code example.org}, on the default port of http and https; {@code example.org:8080}; {@code
     *     example.org:*}, on any port; {@code *.example.org} for all names below it, but not the name itself; {@code *}
     *     for every host
     * @return the list
     * @throws IllegalArgumentException if a rule is invalid
     */
    public static HostAllowList of(List<String> rules) {
        return new HostAllowList(
                rules.contains("*"),
                rules.stream().filter(rule -> !rule.equals("*")).map(Rule::of).toList());
    }

    /** {@return a description of the hosts, for people} */
    public String describe() {
        if (isEverything) {
            return "all hosts";
        }
        return rules.isEmpty() ? "no host" : rules.stream().map(Rule::toString).collect(Collectors.joining(", "));
    }

    /** {@return why a request must not go to a URL; empty if it may} */
    public Optional<String> objection(URI url) {
        if (!isWeb(url) || url.getHost() == null) {
            return Optional.of("'" + url + "' is not the http or https URL of a host");
        }
        if (url.getRawUserInfo() != null) {
            return Optional.of("a URL must not hold credentials; send them in a header");
        }
        String host = plain(url.getHost());
        int port = port(url);
        if (isEverything || rules.stream().anyMatch(rule -> rule.allows(host, port, port == usualPort(url)))) {
            return Optional.empty();
        }
        return Optional.of("the host " + host + (port == usualPort(url) ? "" : ":" + port)
                + " is not on the list of those that this node allows (http.hosts in its configuration)");
    }

    static boolean isSecure(URI url) {
        return "https".equalsIgnoreCase(url.getScheme());
    }

    static boolean isSameOrigin(URI one, URI other) {
        return isSecure(one) == isSecure(other)
                && plain(one.getHost()).equals(plain(other.getHost()))
                && port(one) == port(other);
    }

    private static boolean isWeb(URI url) {
        return isSecure(url) || "http".equalsIgnoreCase(url.getScheme());
    }

    private static int port(URI url) {
        return url.getPort() == -1 ? usualPort(url) : url.getPort();
    }

    private static int usualPort(URI url) {
        return isSecure(url) ? HTTPS_PORT : HTTP_PORT;
    }

    /** Names are equal without regard to case and to the dot of the root. */
    private static String plain(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /** The host and the port of a rule: a given port, the default one of the scheme, or any. */
    private record Rule(boolean isWild, String host, Optional<Integer> port, boolean isAnyPort) {

        static Rule of(String text) {
            Matcher matcher = RULE.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "'" + text + "' is not a host; write example.org, *.example.org, example.org:8080 or *");
            }
            Optional<String> port = Optional.ofNullable(matcher.group("port"));
            boolean isAnyPort = port.equals(Optional.of("*"));
            return new Rule(
                    matcher.group("wild") != null,
                    plain(matcher.group("host")),
                    port.filter(digits -> !isAnyPort).map(Integer::valueOf),
                    isAnyPort);
        }

        @Override
        public String toString() {
            String ports = isAnyPort ? ":*" : port.map(number -> ":" + number).orElse("");
            return (isWild ? "*." : "") + host + ports;
        }

        boolean allows(String name, int number, boolean isUsual) {
            boolean isHost = isWild ? name.endsWith("." + host) : name.equals(host);
            return isHost && (isAnyPort || port.map(own -> own == number).orElse(isUsual));
        }
    }
}

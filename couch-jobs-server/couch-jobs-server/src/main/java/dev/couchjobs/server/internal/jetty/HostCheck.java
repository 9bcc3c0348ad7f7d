package dev.couchjobs.server.internal.jetty;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Refuses requests that address another host. A page of another site can let its own name point to the loopback, so
 * that a browser takes the server's replies for that site's; but it cannot change the name that the browser sends.
 */
final class HostCheck extends Handler.Wrapper {
    private static final int MISDIRECTED = 421;
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|([a-z0-9-]+\\.)+localhost|127(\\.\\d{1,3}){3}|\\[?::1]?");

    private final Set<String> names;

    HostCheck(Handler handler, NetSettings settings) {
        super(handler);
        names = settings.names().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    static boolean isNeeded(NetSettings settings) {
        return settings.isOnLoopback() || !settings.names().isEmpty();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String host = String.valueOf(Request.getServerName(request)).toLowerCase(Locale.ROOT);
        if (LOOPBACK.matcher(host).matches() || names.contains(host)) {
            return super.handle(request, response, callback);
        }
        Response.writeError(request, response, callback, MISDIRECTED);
        return true;
    }
}

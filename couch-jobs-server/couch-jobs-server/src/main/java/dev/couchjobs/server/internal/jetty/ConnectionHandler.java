package dev.couchjobs.server.internal.jetty;

import dev.couchjobs.server.internal.http.ClientConnection;
import dev.couchjobs.server.internal.http.ExactHeaders;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Gives requests what servlets do not have: their connections, and headers that Jetty's servlet API leaves alone. */
public final class ConnectionHandler extends Handler.Wrapper {
    public ConnectionHandler(Handler next) {
        super(next);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        request.setAttribute(ClientConnection.ATTRIBUTE, new WatchedConnection(request));
        ExactHeaders headers = (name, value) -> response.getHeaders().put(name, value);
        request.setAttribute(ExactHeaders.ATTRIBUTE, headers);
        return super.handle(request, response, callback);
    }
}

package dev.couchjobs.server.internal.jetty;

import dev.couchjobs.server.internal.http.ClientConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Gives requests their connections, see {@link ClientConnection#ATTRIBUTE}. */
public final class ConnectionHandler extends Handler.Wrapper {
    public ConnectionHandler(Handler next) {
        super(next);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        request.setAttribute(ClientConnection.ATTRIBUTE, new WatchedConnection(request));
        return super.handle(request, response, callback);
    }
}

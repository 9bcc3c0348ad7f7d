package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The servlet in a server of the application. */
@Timeout(60)
class OtherServersTest {
    private final TestServer own = TestServer.forEverything();
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);

    @AfterEach
    void close() throws Exception {
        server.stop();
        own.close();
    }

    private URI start(Filter filter) throws Exception {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        FilterHolder first = new FilterHolder(filter);
        first.setAsyncSupported(true);
        context.addFilter(first, "/*", EnumSet.of(DispatcherType.REQUEST));
        ServletHolder servlet =
                new ServletHolder(JobsHttp.on(own.jobs, own.database).servlet());
        servlet.setAsyncSupported(true);
        context.addServlet(servlet, "/*");
        server.setHandler(context);
        server.start();
        return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/");
    }

    @Test
    void aReplyThatAFilterOfTheApplicationRefusesIsAnErrorAndNotAwaitedForGood() throws Exception {
        URI root = start((request, response, chain) ->
                chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response) {
                    @Override
                    public void setHeader(String name, String value) {
                        throw new UnsupportedOperationException("no headers");
                    }
                }));
        TestServer.Response reply =
                own.send(HttpRequest.newBuilder(root.resolve("v1/types")).build());
        assertThat(reply.status()).isEqualTo(500);
    }
}

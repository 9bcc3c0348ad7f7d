package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.Role;
import dev.couchjobs.topics.Topics;
import jakarta.servlet.http.HttpServlet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/** The API and the dashboard below a path of the application. */
@AutoConfiguration(after = CouchJobsAutoConfiguration.class)
@ConditionalOnClass({JobsHttp.class, HttpServlet.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(CouchJobs.class)
@ConditionalOnProperty("couch-jobs.http.path")
class HttpConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JobsHttp couchJobsHttp(
            CouchJobs jobs,
            Database database,
            CouchJobsProperties properties,
            ObjectProvider<Authenticator> authenticators,
            ObjectProvider<Topics> topics) {
        JobsHttp http = JobsHttp.on(jobs, database)
                .authenticator(authenticators.getIfAvailable(() -> authenticator(properties.http())));
        JobsHttp inSubspace = properties
                .rows()
                .map(rows -> http.subspace(rows.get("couch_jobs_server")))
                .orElse(http);
        return Optional.ofNullable(topics.getIfUnique()).map(inSubspace::topics).orElse(inSubspace);
    }

    private static Authenticator authenticator(CouchJobsProperties.Http http) {
        if (http.roles().isEmpty()) {
            return Authenticator.always(Access.of("application", Role.READ, role(http.role())));
        }
        return new RoleAuthenticator(http.roles().entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> role(entry.getValue()))));
    }

    private static Role role(String name) {
        return Role.valueOf(name.toUpperCase(Locale.ROOT)); // CouchJobsProperties permits no other names
    }

    @Bean
    ServletRegistrationBean<HttpServlet> couchJobsServlet(JobsHttp http, CouchJobsProperties properties) {
        String path = Objects.requireNonNull(properties.http().path());
        ServletRegistrationBean<HttpServlet> servlet = new ServletRegistrationBean<>(http.servlet(), path + "/*");
        servlet.setName("couchJobs");
        servlet.setAsyncSupported(true);
        servlet.setLoadOnStartup(1); // selections of an earlier run go on before the first request
        return servlet;
    }

    /** Spring ends the servlets after the beans, and what this one runs needs the database. */
    @Bean
    DisposableBean couchJobsServletEnd(ServletRegistrationBean<HttpServlet> couchJobsServlet) {
        return Objects.requireNonNull(couchJobsServlet.getServlet())::destroy;
    }
}

package dev.couchjobs.spring.sample;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** A caller without a name signs up; operators do the rest. */
@Configuration(proxyBeanMethods = false)
public class Security {
    @Bean
    SecurityFilterChain callers(HttpSecurity http) {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers(
                                "/users/*", "/actuator/health", "/error")
                        .permitAll()
                        .anyRequest()
                        .hasRole("OPERATOR"))
                .httpBasic(withDefaults())
                // To sign up needs no login that a foreign page could use, and the dashboard's API refuses such pages.
                .csrf(csrf -> csrf.ignoringRequestMatchers("/users/*", "/jobs/**"))
                .build();
    }
}

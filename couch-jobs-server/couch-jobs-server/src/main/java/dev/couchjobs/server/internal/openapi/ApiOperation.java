package dev.couchjobs.server.internal.openapi;

import com.networknt.schema.Schema;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.PayloadPlaces;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An operation of the document.
 *
 * @param id the {@code operationId}, by which code is bound to it
 * @param role what the caller needs ({@code x-role}); empty if it needs no token
 * @param isOfAnyType whether the operation itself looks at the types that the caller may use ({@code x-any-type})
 * @param resource the operation that reads what this one changes ({@code x-resource}), for {@code If-Match}
 * @param body the schema of the body, if the operation takes one
 * @param payloads where payloads stand in the body
 * @param takesBytes whether a body that is no JSON is a payload
 */
public record ApiOperation(
        String id,
        String method,
        String path,
        Optional<Role> role,
        boolean isOfAnyType,
        Optional<String> resource,
        Map<String, Parameter> parameters,
        Optional<Supplier<Schema>> body,
        PayloadPlaces payloads,
        boolean takesBytes,
        boolean isBodyRequired) {

    /** {@return whether an operator changes something by it} What workers do is in the attempts of jobs. */
    public boolean isWrite() {
        return !method.equals("GET") && !role.equals(Optional.of(Role.WORK));
    }

    public String roleName() {
        return role.map(needed -> needed.name().toLowerCase(Locale.ROOT)).orElse("none");
    }

    List<String> queryNames() {
        return parameters.values().stream()
                .filter(parameter -> parameter.in().equals("query"))
                .map(Parameter::name)
                .toList();
    }
}

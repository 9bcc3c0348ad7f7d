package dev.couchjobs.annotations.internal;

import dev.couchjobs.JobContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.PrimitiveType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Reads and checks the job methods of a class. */
final class MethodReader {
    private final Elements elements;
    private final Types types;
    private final Problems problems;
    private final PayloadRules rules;
    private final Map<String, String> methodsByType;
    private final Map<String, ExecutableElement> constants = new HashMap<>();

    /**
     * A reader for one class.
     *
     * @param methodsByType the methods of the compilation by their job types, to which those of the class are added
     */
    MethodReader(
            Elements elements, Types types, Problems problems, PayloadRules rules, Map<String, String> methodsByType) {
        this.elements = elements;
        this.types = types;
        this.problems = problems;
        this.rules = rules;
        this.methodsByType = methodsByType;
    }

    /** {@return the method; empty if it cannot run jobs, which is reported} */
    Optional<JobMethod> read(ExecutableElement method, AnnotationMirror job) {
        int before = problems.count();
        checkMethod(method);
        JobSettings settings = new SettingsReader(problems, rules, method, job, methodsByType).read();
        String constant = constant(method);
        List<String> arguments = new ArrayList<>();
        Optional<TypeMirror> data = data(method, arguments);
        Optional<TypeMirror> result = result(method);
        return data.filter(found -> problems.count() == before)
                .map(found -> new JobMethod(
                        method.getSimpleName().toString(),
                        constant,
                        found,
                        result,
                        verb(method),
                        String.join(", ", arguments),
                        settings));
    }

    private void checkMethod(ExecutableElement method) {
        String name = "Method " + method.getSimpleName();
        Set<Modifier> modifiers = method.getModifiers();
        if (modifiers.contains(Modifier.PRIVATE)) {
            problems.report(method, name + " is private, and the generated class cannot call it: remove private.");
        }
        if (modifiers.contains(Modifier.STATIC)) {
            problems.report(method, name + " is static, and a worker calls it on an object: remove static.");
        }
        if (modifiers.contains(Modifier.ABSTRACT)) {
            problems.report(method, name + " is abstract: annotate the method that implements it.");
        }
        if (!method.getTypeParameters().isEmpty()) {
            problems.report(
                    method, name + " has type parameters, which no stored job can fill: name the type of its data.");
        }
        for (TypeMirror error : method.getThrownTypes()) {
            if (!isA(error, Exception.class) && !isA(error, Error.class)) {
                problems.report(method, name + " throws " + TypeNames.of(error) + ": let it throw Exception.");
            }
        }
    }

    /** {@return the name of the constant: {@code SEND_MAIL} for {@code sendMail}} */
    private String constant(ExecutableElement method) {
        String constant = method.getSimpleName()
                .toString()
                .replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_")
                .toUpperCase(Locale.ROOT);
        ExecutableElement other = constants.putIfAbsent(constant, method);
        if (other != null) {
            problems.report(
                    method,
                    "Methods " + other + " and " + method + " would both have the constant " + constant
                            + ": rename one of them.");
        }
        return constant;
    }

    private Optional<TypeMirror> data(ExecutableElement method, List<String> arguments) {
        List<VariableElement> data = new ArrayList<>();
        List<VariableElement> contexts = new ArrayList<>();
        for (VariableElement parameter : method.getParameters()) {
            boolean isContext = isSame(parameter.asType(), JobContext.class);
            (isContext ? contexts : data).add(parameter);
            arguments.add(isContext ? "job" : "job.data()");
        }
        if (data.isEmpty()) {
            problems.report(
                    method,
                    "Method " + method.getSimpleName() + " has no parameter for the data of its job: add one, such as a"
                            + " record.");
            return Optional.empty();
        }
        VariableElement first = data.get(0);
        data.stream()
                .skip(1)
                .forEach(another -> problems.report(
                        another,
                        "A job has one piece of data, which is " + first.getSimpleName() + ": put "
                                + another.getSimpleName() + " into the same record, or take a JobContext."));
        if (isSame(first.asType(), Void.class)) {
            problems.report(
                    first, "A job has data, and there is none of class Void: use a record, if need be an empty one.");
        }
        rules.objection(first.asType()).ifPresent(objection -> problems.report(first, objection));
        TypeMirror boxed = boxed(first.asType());
        DeclaredType context = types.getDeclaredType(elements.getTypeElement(JobContext.class.getName()), boxed);
        contexts.stream()
                .filter(parameter -> !types.isAssignable(context, parameter.asType()))
                .forEach(parameter -> problems.report(
                        parameter,
                        "The data of this job is " + TypeNames.of(boxed)
                                + ", and this is another context: write JobContext<" + TypeNames.of(boxed) + ">."));
        contexts.stream()
                .skip(1)
                .forEach(parameter -> problems.report(
                        parameter, "Method " + method.getSimpleName() + " has a JobContext already: remove this one."));
        return Optional.of(boxed);
    }

    private Optional<TypeMirror> result(ExecutableElement method) {
        TypeMirror returned = method.getReturnType();
        TypeMirror result = returned;
        if (isA(returned, CompletionStage.class)) {
            Optional<TypeMirror> completed = completedType(returned);
            if (completed.isEmpty()) {
                problems.report(
                        method,
                        "The type of the result is not known: return a CompletionStage of it, or of Void if there is"
                                + " none.");
                return Optional.empty();
            }
            result = completed.get();
        }
        if (result.getKind() == TypeKind.VOID || isSame(result, Void.class)) {
            return Optional.empty();
        }
        rules.objection(result).ifPresent(objection -> problems.report(method, objection));
        return Optional.of(boxed(result));
    }

    /** {@return what a stage completes with, empty if it is raw or unbounded} */
    private Optional<TypeMirror> completedType(TypeMirror type) {
        if (!isSame(type, CompletionStage.class)) {
            return types.directSupertypes(type).stream()
                    .filter(supertype -> isA(supertype, CompletionStage.class))
                    .findFirst()
                    .flatMap(this::completedType);
        }
        return ((DeclaredType) type)
                .getTypeArguments().stream()
                        .findFirst()
                        .map(argument ->
                                argument instanceof WildcardType wildcard ? wildcard.getExtendsBound() : argument);
    }

    private String verb(ExecutableElement method) {
        if (isA(method.getReturnType(), CompletionStage.class)) {
            return "handleAsync";
        }
        return method.getReturnType().getKind() == TypeKind.VOID ? "process" : "handle";
    }

    private TypeMirror boxed(TypeMirror type) {
        return type instanceof PrimitiveType primitive
                ? types.boxedClass(primitive).asType()
                : type;
    }

    private boolean isA(TypeMirror type, Class<?> ancestor) {
        return types.isSubtype(types.erasure(type), erasure(ancestor));
    }

    private boolean isSame(TypeMirror type, Class<?> expected) {
        return types.isSameType(types.erasure(type), erasure(expected));
    }

    private TypeMirror erasure(Class<?> type) {
        return types.erasure(elements.getTypeElement(type.getName()).asType());
    }
}

package dev.couchjobs.annotations.internal;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Which types data and results may have: those that Jackson reads and that the generated class can name. */
final class PayloadRules {
    /** The interfaces and abstract classes of Java and Jackson that Jackson reads. */
    static final Set<String> READABLE = Set.of(
            "java.lang.CharSequence",
            "java.lang.Iterable",
            "java.lang.Number",
            "java.nio.ByteBuffer",
            "java.nio.file.Path",
            "java.time.ZoneId",
            "java.util.Calendar",
            "java.util.Collection",
            "java.util.Deque",
            "java.util.List",
            "java.util.Map",
            "java.util.NavigableMap",
            "java.util.NavigableSet",
            "java.util.Queue",
            "java.util.Set",
            "java.util.SortedMap",
            "java.util.SortedSet",
            "java.util.TimeZone",
            "java.util.concurrent.ConcurrentMap",
            "tools.jackson.databind.JsonNode");

    /** Annotations that tell Jackson which class to make; a type inherits them from its supertypes. */
    private static final Set<String> CHOOSING = Set.of(
            "com.fasterxml.jackson.annotation.JsonTypeInfo",
            "com.fasterxml.jackson.databind.annotation.JsonDeserialize",
            "tools.jackson.databind.annotation.JsonDeserialize");

    private final Elements elements;
    private final Types types;
    private final PackageElement user;

    /**
     * Rules for the payloads of a class.
     *
     * @param user the package of the generated class
     */
    PayloadRules(Elements elements, Types types, PackageElement user) {
        this.elements = elements;
        this.types = types;
        this.user = user;
    }

    /** {@return what is wrong with a type and what to do, or empty if it can be a payload} */
    Optional<String> objection(TypeMirror type) {
        return switch (type.getKind()) {
            case ARRAY -> objection(((ArrayType) type).getComponentType());
            case WILDCARD ->
                Optional.ofNullable(((WildcardType) type).getExtendsBound()).flatMap(this::objection);
            case DECLARED -> objection((DeclaredType) type);
            default -> Optional.empty();
        };
    }

    private Optional<String> objection(DeclaredType type) {
        TypeElement element = (TypeElement) type.asElement();
        String name = element.getQualifiedName().toString();
        if (!isVisible(type)) {
            return Optional.of("The generated class cannot name " + name + ": make it and its enclosing classes visible"
                    + " in the package.");
        }
        if (type.getTypeArguments().size() < element.getTypeParameters().size()) {
            return Optional.of("Jackson cannot read the raw type " + name + ": give it type arguments, such as "
                    + element.getSimpleName() + "<String>.");
        }
        if (element.getNestingKind().isNested() && !element.getModifiers().contains(Modifier.STATIC)) {
            return Optional.of("Jackson cannot make the inner class " + name + ": make it static, or a record.");
        }
        if (element.getModifiers().contains(Modifier.ABSTRACT)
                && element.getKind() != ElementKind.ENUM
                && !READABLE.contains(name)
                && !choosesClass(type, new HashSet<>())) {
            return Optional.of("Jackson cannot read " + name + ", which is "
                    + (element.getKind().isInterface() ? "an interface" : "an abstract class")
                    + ": use a record, or name its classes by @JsonTypeInfo and @JsonSubTypes.");
        }
        return type.getTypeArguments().stream()
                .map(this::objection)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** {@return whether the generated class can name a type} */
    boolean isVisible(TypeMirror type) {
        for (Element each = types.asElement(type); each instanceof TypeElement; each = each.getEnclosingElement()) {
            Set<Modifier> modifiers = each.getModifiers();
            if (modifiers.contains(Modifier.PRIVATE)
                    || (!modifiers.contains(Modifier.PUBLIC)
                            && !elements.getPackageOf(each).equals(user))) {
                return false;
            }
        }
        return true;
    }

    private boolean choosesClass(TypeMirror type, Set<String> seen) {
        List<? extends TypeMirror> supertypes = types.directSupertypes(type);
        Element element = types.asElement(type);
        boolean chooses = element.getAnnotationMirrors().stream()
                .map(annotation -> TypeNames.of(annotation.getAnnotationType()))
                .anyMatch(CHOOSING::contains);
        return chooses
                || supertypes.stream()
                        .filter(supertype -> seen.add(TypeNames.of(supertype)))
                        .anyMatch(supertype -> choosesClass(supertype, seen));
    }
}

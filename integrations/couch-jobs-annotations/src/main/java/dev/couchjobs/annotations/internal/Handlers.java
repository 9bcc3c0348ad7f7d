package dev.couchjobs.annotations.internal;

import java.util.List;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;

/** A class with job methods. */
record Handlers(TypeElement type, String packageName, List<JobMethod> methods) {

    /** {@return the simple name of the generated class} */
    static String generatedName(TypeElement type) {
        String name = type.getSimpleName() + "Jobs";
        for (Element each = type.getEnclosingElement();
                each instanceof TypeElement;
                each = each.getEnclosingElement()) {
            name = each.getSimpleName() + "_" + name;
        }
        return name;
    }

    String generatedName() {
        return generatedName(type);
    }

    /** {@return the name of the generated class, with its package} */
    String qualifiedGeneratedName() {
        return packageName.isEmpty() ? generatedName() : packageName + "." + generatedName();
    }

    boolean isPublic() {
        return Stream.<Element>iterate(type, TypeElement.class::isInstance, Element::getEnclosingElement)
                .allMatch(each -> each.getModifiers().contains(Modifier.PUBLIC));
    }
}

package dev.couchjobs.spring.shop;

import org.springframework.stereotype.Component;

/** A component that jobs do not need. */
@Component
class Warehouse {}

package dev.quarry;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.lang.conditions.ArchConditions.beFinal;
import static com.tngtech.archunit.lang.conditions.ArchConditions.haveRawType;
import static com.tngtech.archunit.lang.conditions.ArchConditions.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.module.ModuleDescriptor;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/// The arrows between packages, so that each can be read knowing only those before it.
///
/// A package that is missing or a class outside every named package fails too: a rule never passes
/// because it looked at nothing.
@AnalyzeClasses(packages = "dev.quarry", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String MEMORY = "dev.quarry";
  private static final String SIZE = "dev.quarry.size";
  private static final String LAYOUT = "dev.quarry.layout";
  private static final String FAILURE = "dev.quarry.failure";
  private static final String STORAGE = "dev.quarry.storage";
  private static final String REPORT = "dev.quarry.report";
  private static final String POOL = "dev.quarry.pool";
  private static final String RUNTIME = "dev.quarry.runtime";
  private static final String JFR = "dev.quarry.jfr";

  /// The last package is optional, because it is the last to be written. The runtime works on
  /// slices: a command claims memory whose handle may have been closed meanwhile.
  @ArchTest
  static final ArchRule packagesSeeOnlyThoseBeforeThem =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer(SIZE)
          .definedBy(SIZE)
          .layer(LAYOUT)
          .definedBy(LAYOUT)
          .layer(FAILURE)
          .definedBy(FAILURE)
          .layer(STORAGE)
          .definedBy(STORAGE)
          .layer(REPORT)
          .definedBy(REPORT)
          .layer(POOL)
          .definedBy(POOL)
          .layer(MEMORY)
          .definedBy(MEMORY)
          .layer(RUNTIME)
          .definedBy(RUNTIME)
          .optionalLayer(JFR)
          .definedBy(JFR)
          .whereLayer(SIZE)
          .mayNotAccessAnyLayer()
          .whereLayer(LAYOUT)
          .mayOnlyAccessLayers(SIZE)
          .whereLayer(FAILURE)
          .mayOnlyAccessLayers(SIZE)
          .whereLayer(STORAGE)
          .mayOnlyAccessLayers(SIZE, LAYOUT, FAILURE)
          .whereLayer(REPORT)
          .mayOnlyAccessLayers(SIZE, LAYOUT, FAILURE)
          .whereLayer(POOL)
          .mayOnlyAccessLayers(SIZE, LAYOUT, FAILURE, STORAGE, REPORT)
          .whereLayer(POOL)
          .mayOnlyBeAccessedByLayers(MEMORY, RUNTIME)
          .whereLayer(MEMORY)
          .mayOnlyAccessLayers(SIZE, LAYOUT, FAILURE, STORAGE, REPORT, POOL)
          .whereLayer(RUNTIME)
          .mayOnlyAccessLayers(SIZE, LAYOUT, FAILURE, STORAGE, REPORT, MEMORY, POOL)
          .whereLayer(JFR)
          .mayOnlyAccessLayers(SIZE, LAYOUT, FAILURE, REPORT)
          .ensureAllClassesAreContainedInArchitecture();

  /// The arrows above forbid cycles among the packages they name; this holds for any that is ever
  /// added.
  @ArchTest
  static final ArchRule packagesFormNoCycle =
      slices().assignedFrom(eachPackageIsASlice()).should().beFreeOfCycles();

  @ArchTest
  static final ArchRule theJdkIsEnough =
      classes()
          .that()
          .resideOutsideOfPackage(JFR)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("dev.quarry..", "java..", "org.jspecify.annotations..");

  /// Whoever calls one must be granted native access, and the core promises to run without.
  @ArchTest
  static final ArchRule noRestrictedMethodIsCalled =
      noClasses()
          .should()
          .accessTargetWhere(target(describe("restricted", ArchitectureTest::isRestricted)));

  /// The depth of dry runs is the process's, and that of real runs its threads'; the specification
  /// wants both so.
  @ArchTest
  static final ArchRule nothingStaticChangesButTheDepthOfRuns =
      fields()
          .that()
          .areStatic()
          .and()
          .areDeclaredInClassesThat()
          .doNotHaveFullyQualifiedName("dev.quarry.DryRun")
          .and()
          .areDeclaredInClassesThat()
          .doNotHaveFullyQualifiedName("dev.quarry.RealRun")
          .should(beFinal())
          .andShould(not(haveRawType(describe("holds state", ArchitectureTest::holdsState))));

  /// A package is for users as soon as it has a public type, unless it is the pools'.
  @ArchTest
  static void theModuleExportsEveryPackageButThePools(JavaClasses classes) throws IOException {
    var published =
        classes.stream()
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getPackageName)
            .filter(name -> !name.equals(POOL))
            .collect(toSet());
    var exported =
        module().exports().stream().map(ModuleDescriptor.Exports::source).collect(toSet());

    assertThat(exported).isEqualTo(published);
  }

  private static SliceAssignment eachPackageIsASlice() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        return SliceIdentifier.of(type.getPackageName());
      }

      @Override
      public String getDescription() {
        return "packages";
      }
    };
  }

  private static final Map<Class<?>, Set<String>> RESTRICTED =
      Map.of(
          MemorySegment.class, Set.of("reinterpret"),
          AddressLayout.class, Set.of("withTargetLayout"),
          Linker.class, Set.of("downcallHandle", "upcallStub"),
          SymbolLookup.class, Set.of("libraryLookup"),
          ModuleLayer.Controller.class, Set.of("enableNativeAccess"),
          System.class, Set.of("load", "loadLibrary"),
          Runtime.class, Set.of("load", "loadLibrary"));

  private static boolean isRestricted(AccessTarget target) {
    return RESTRICTED.entrySet().stream()
        .anyMatch(
            entry ->
                target.getOwner().isAssignableTo(entry.getKey())
                    && entry.getValue().contains(target.getName()));
  }

  /// Types that are there to be changed. An interface such as `List` may be immutable and is
  /// trusted.
  private static boolean holdsState(JavaClass type) {
    var container = type.isAssignableTo(Collection.class) || type.isAssignableTo(Map.class);
    var shared =
        type.getPackageName().startsWith("java.util.concurrent")
            && !type.isEnum()
            && !type.getName().endsWith("FieldUpdater");
    return shared
        || container && !type.isInterface()
        || type.isAssignableTo(ThreadLocal.class)
        || type.isAssignableTo(StringBuilder.class);
  }

  private static ModuleDescriptor module() throws IOException {
    for (var url :
        Collections.list(
            ArchitectureTest.class.getClassLoader().getResources("module-info.class"))) {
      try (var bytes = url.openStream()) {
        var module = ModuleDescriptor.read(bytes);
        if (module.name().equals("dev.quarry")) {
          return module;
        }
      }
    }
    throw new AssertionError("no module-info.class of dev.quarry on the class path");
  }
}

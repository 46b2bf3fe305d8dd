//! Patches: structs of optional settings, each declared in one row.

/// Declares a patch. Of each row it makes the field, its place in merging, its check, and, with
/// the feature `serde`, its name, reader and writer.
///
/// `parts` are patches of their own, whose fields stand among its own. The rows of `same` have a
/// field of the same name and type in the settings that are patched; they get a setter, and the
/// two directions between patch and settings. The rows of `own` have only what all have.
macro_rules! patch {
    (
        $(#[$doc:meta])*
        pub struct $patch:ident {
            $(parts { $($part:ident: $part_type:ty,)* })?
            $(same as $settings:ident {
                $($same:ident: $same_type:ty = $same_rule:ty,)*
            })?
            own { $($own:ident: $own_type:ty = $own_rule:ty,)* }
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $patch {
            $($(pub(crate) $part: $part_type,)*)?
            $($(pub(crate) $same: Option<$same_type>,)*)?
            $(pub(crate) $own: Option<$own_type>,)*
        }

        impl $patch {
            /// No change.
            #[must_use]
            pub const fn new() -> $patch {
                $patch {
                    $($($part: <$part_type>::new(),)*)?
                    $($($same: None,)*)?
                    $($own: None,)*
                }
            }

            /// This patch with the changes of `over`: still a patch.
            #[must_use]
            pub fn merge(&self, over: &$patch) -> $patch {
                $patch {
                    $($($part: self.$part.merge(&over.$part),)*)?
                    $($($same: over.$same.or(self.$same),)*)?
                    $($own: over.$own.as_ref().or(self.$own.as_ref()).cloned(),)*
                }
            }

            /// The fields that are valid by themselves; the mistakes of the others are noted.
            pub(crate) fn valid_part(&self, errors: &mut $crate::config_error::ConfigError) -> $patch {
                use $crate::config::valid;
                $patch {
                    $($($part: self.$part.valid_part(errors),)*)?
                    $($($same: valid::<$same_rule>(stringify!($same), self.$same.as_ref(), errors),)*)?
                    $($own: valid::<$own_rule>(stringify!($own), self.$own.as_ref(), errors),)*
                }
            }
        }

        #[cfg(feature = "serde")]
        impl $patch {
            /// The names of the fields, without those of the parts.
            pub(crate) const FIELDS: &[&str] =
                &[$($(stringify!($same),)*)? $(stringify!($own),)*];

            /// Reads the fields of a section. The result has those that are valid.
            pub(crate) fn read_fields(section: &mut $crate::config::Section) -> $patch {
                $patch {
                    $($($part: <$part_type>::read_fields(section),)*)?
                    $($($same: section.setting::<$same_rule>(stringify!($same)),)*)?
                    $($own: section.setting::<$own_rule>(stringify!($own)),)*
                }
            }

            /// Writes the fields that are present.
            pub(crate) fn write_fields(&self, table: &mut Vec<(String, $crate::config::Value)>) {
                use $crate::config::Rule as _;
                $($(self.$part.write_fields(table);)*)?
                $($(if let Some(value) = &self.$same {
                    table.push((stringify!($same).to_owned(), <$same_rule>::write(value)));
                })*)?
                $(if let Some(value) = &self.$own {
                    table.push((stringify!($own).to_owned(), <$own_rule>::write(value)));
                })*
            }
        }

        $(
            impl $patch {
                $(
                    #[doc = concat!("Sets [`", stringify!($settings), "::", stringify!($same), "`].")]
                    #[must_use]
                    pub const fn $same(mut self, $same: $same_type) -> $patch {
                        self.$same = Some($same);
                        self
                    }
                )*

                /// Changes the settings that have a field of the same name.
                fn apply(&self, settings: &mut $settings) {
                    $(if let Some(value) = self.$same {
                        settings.$same = value;
                    })*
                }

                /// The patch that has the value of each field of the same name.
                fn of(settings: &$settings) -> $patch {
                    let mut patch = $patch::new();
                    $(patch.$same = Some(settings.$same);)*
                    patch
                }
            }
        )?
    };
}

pub(crate) use patch;

/// The names of a patch and of its part.
#[cfg(all(feature = "serde", any(feature = "http", feature = "process")))]
pub(crate) const fn joined<const N: usize>(
    first: &[&'static str],
    second: &[&'static str],
) -> [&'static str; N] {
    let mut all = [""; N];
    let mut index = 0;
    while index < N {
        all[index] = if index < first.len() { first[index] } else { second[index - first.len()] };
        index += 1;
    }
    all
}

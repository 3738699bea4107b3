
# $TITLE
cat > "$work/document" <<'END_OF_DOCUMENT'
$DOCUMENT
END_OF_DOCUMENT
settings $SETTINGS
